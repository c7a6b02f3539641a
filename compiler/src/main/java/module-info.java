/** Model files to execution plans: front end, autodiff, rematerialization, fusion, memory. */
module dev.remat.compiler {
    requires transitive dev.remat.ir;
    requires org.antlr.antlr4.runtime;
    requires org.jgrapht.core;
    requires ortools.java;
    requires com.google.protobuf;

    exports dev.remat.compiler;
    exports dev.remat.compiler.account;
    exports dev.remat.compiler.ast;
    exports dev.remat.compiler.batch;
    exports dev.remat.compiler.builtin;
    exports dev.remat.compiler.builtin.table;
    exports dev.remat.compiler.choose;
    exports dev.remat.compiler.elaborate;
    exports dev.remat.compiler.error;
    exports dev.remat.compiler.fit;
    exports dev.remat.compiler.forward;
    exports dev.remat.compiler.kernel;
    exports dev.remat.compiler.layout;
    exports dev.remat.compiler.memory;
    exports dev.remat.compiler.model;
    exports dev.remat.compiler.plan;
    exports dev.remat.compiler.plan.evaluate;
    exports dev.remat.compiler.plan.portfolio;
    exports dev.remat.compiler.plan.price;
    exports dev.remat.compiler.recipe;
    exports dev.remat.compiler.remat;
    exports dev.remat.compiler.search;
    exports dev.remat.compiler.section;
    exports dev.remat.compiler.simplify;
    exports dev.remat.compiler.solve;
    exports dev.remat.compiler.split;
    exports dev.remat.compiler.stage;
    exports dev.remat.compiler.sweep;
    exports dev.remat.compiler.syntax;
    exports dev.remat.compiler.trace;
    exports dev.remat.compiler.training;
    exports dev.remat.compiler.unread;
    exports dev.remat.compiler.fusion;
}
