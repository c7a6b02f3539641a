/** The nouns of remat: every type that crosses a module border. */
module dev.remat.ir {
    requires transitive com.fasterxml.jackson.core;

    exports dev.remat.ir;
    exports dev.remat.ir.artifact;
    exports dev.remat.ir.diagnostic;
    exports dev.remat.ir.execution;
    exports dev.remat.ir.graph;
    exports dev.remat.ir.io;
    exports dev.remat.ir.json;
    exports dev.remat.ir.natives;
    exports dev.remat.ir.op;
    exports dev.remat.ir.plan;
    exports dev.remat.ir.target;
    exports dev.remat.ir.text;
}
