/** The nouns of remat: every type that crosses a module border. */
@SuppressWarnings("module")
module dev.remat.ir {
    requires transitive com.fasterxml.jackson.core;

    exports dev.remat.ir to
            dev.remat.cli,
            dev.remat.codegen.cuda,
            dev.remat.compiler,
            dev.remat.runtime;
    exports dev.remat.ir.artifact to
            dev.remat.cli,
            dev.remat.codegen.cuda,
            dev.remat.runtime;
    exports dev.remat.ir.diagnostic to
            dev.remat.cli,
            dev.remat.codegen.cuda,
            dev.remat.compiler,
            dev.remat.runtime;
    exports dev.remat.ir.execution to
            dev.remat.cli,
            dev.remat.codegen.cuda,
            dev.remat.compiler,
            dev.remat.runtime;
    exports dev.remat.ir.graph to
            dev.remat.cli,
            dev.remat.codegen.cuda,
            dev.remat.compiler,
            dev.remat.runtime;
    exports dev.remat.ir.io to
            dev.remat.cli,
            dev.remat.codegen.cuda,
            dev.remat.compiler,
            dev.remat.runtime;
    exports dev.remat.ir.json to
            dev.remat.cli,
            dev.remat.compiler,
            dev.remat.runtime;
    exports dev.remat.ir.natives to
            dev.remat.cli,
            dev.remat.codegen.cuda,
            dev.remat.compiler,
            dev.remat.runtime;
    exports dev.remat.ir.op to
            dev.remat.cli,
            dev.remat.codegen.cuda,
            dev.remat.compiler,
            dev.remat.runtime;
    exports dev.remat.ir.plan to
            dev.remat.cli,
            dev.remat.compiler,
            dev.remat.runtime;
    exports dev.remat.ir.target to
            dev.remat.cli,
            dev.remat.codegen.cuda,
            dev.remat.compiler,
            dev.remat.runtime;
    exports dev.remat.ir.text to
            dev.remat.compiler;
}
