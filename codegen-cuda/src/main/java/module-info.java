/** Execution plans to CUDA kernels. */
module dev.remat.codegen.cuda {
    requires transitive dev.remat.ir;

    exports dev.remat.codegen.cuda;
    exports dev.remat.codegen.cuda.cabi;
    exports dev.remat.codegen.cuda.emit;
    exports dev.remat.codegen.cuda.nvrtc;
    exports dev.remat.codegen.cuda.predict;
    exports dev.remat.codegen.cuda.target;
}
