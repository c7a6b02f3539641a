/** Model files to execution plans: front end, autodiff, rematerialization, fusion, memory. */
module dev.remat.compiler {
    requires transitive dev.remat.ir;
    requires org.antlr.antlr4.runtime;
    requires org.jgrapht.core;

    exports dev.remat.compiler.plan;
}
