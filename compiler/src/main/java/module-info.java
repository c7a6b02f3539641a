/** Model files to execution plans: front end, autodiff, rematerialization, fusion, memory. */
@SuppressWarnings("module")
module dev.remat.compiler {
    requires transitive dev.remat.ir;
    requires org.antlr.antlr4.runtime;
    requires org.jgrapht.core;
    requires ortools.java;
    requires com.google.protobuf;

    exports dev.remat.compiler to
            dev.remat.cli;
    exports dev.remat.compiler.account to
            dev.remat.cli;
    exports dev.remat.compiler.batch to
            dev.remat.cli;
    exports dev.remat.compiler.choose to
            dev.remat.cli;
    exports dev.remat.compiler.chunk to
            dev.remat.cli;
    exports dev.remat.compiler.elaborate to
            dev.remat.cli;
    exports dev.remat.compiler.error to
            dev.remat.cli;
    exports dev.remat.compiler.fit to
            dev.remat.cli;
    exports dev.remat.compiler.forward to
            dev.remat.cli;
    exports dev.remat.compiler.fusion to
            dev.remat.cli;
    exports dev.remat.compiler.kernel to
            dev.remat.cli;
    exports dev.remat.compiler.known to
            dev.remat.cli;
    exports dev.remat.compiler.layout to
            dev.remat.cli;
    exports dev.remat.compiler.memory to
            dev.remat.cli;
    exports dev.remat.compiler.model to
            dev.remat.cli;
    exports dev.remat.compiler.onnx to
            dev.remat.cli;
    exports dev.remat.compiler.onnx.operator to
            dev.remat.cli;
    exports dev.remat.compiler.onnx.read to
            dev.remat.cli;
    exports dev.remat.compiler.onnx.source to
            dev.remat.cli;
    exports dev.remat.compiler.onnx.statement to
            dev.remat.cli;
    exports dev.remat.compiler.pipeline to
            dev.remat.cli;
    exports dev.remat.compiler.plan to
            dev.remat.cli;
    exports dev.remat.compiler.plan.evaluate to
            dev.remat.cli;
    exports dev.remat.compiler.plan.portfolio to
            dev.remat.cli;
    exports dev.remat.compiler.plan.price to
            dev.remat.cli;
    exports dev.remat.compiler.ranks to
            dev.remat.cli;
    exports dev.remat.compiler.recipe to
            dev.remat.cli;
    exports dev.remat.compiler.reference to
            dev.remat.cli;
    exports dev.remat.compiler.remat to
            dev.remat.cli;
    exports dev.remat.compiler.search to
            dev.remat.cli;
    exports dev.remat.compiler.section to
            dev.remat.cli;
    exports dev.remat.compiler.solve to
            dev.remat.cli;
    exports dev.remat.compiler.stage to
            dev.remat.cli;
    exports dev.remat.compiler.sweep to
            dev.remat.cli;
    exports dev.remat.compiler.syntax to
            dev.remat.cli;
    exports dev.remat.compiler.trace to
            dev.remat.cli;
    exports dev.remat.compiler.training to
            dev.remat.cli;
}
