package dev.remat.codegen.cuda.nvrtc;

/**
 * What NVRTC made of a text.
 *
 * @param cubin machine code; empty if the text was refused
 * @param log what NVRTC and its assembler said, the usage of every kernel among it
 * @param ptx intermediate code that the assembler refused; empty if there is a cubin or it did not get that far
 */
record Compilation(byte[] cubin, String log, String ptx) {
    boolean succeeded() {
        return cubin.length > 0;
    }
}
