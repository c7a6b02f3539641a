/** Execution plans to CUDA kernels. */
@SuppressWarnings("module")
module dev.remat.codegen.cuda {
    requires transitive dev.remat.ir;

    exports dev.remat.codegen.cuda to
            dev.remat.cli;
    exports dev.remat.codegen.cuda.emit to
            dev.remat.cli;
    exports dev.remat.codegen.cuda.nvrtc to
            dev.remat.cli;
    exports dev.remat.codegen.cuda.predict to
            dev.remat.cli;
    exports dev.remat.codegen.cuda.target to
            dev.remat.cli;
}
