package dev.remat.codegen.cuda.nvrtc;

/**
 * What NVRTC made of a text.
 *
 * @param cubin machine code; empty if the text was refused or no assembler was asked for
 * @param log what NVRTC and its assembler said, the usage of every kernel among it
 * @param ptx intermediate code where it was not or could not be assembled; empty if it did not get that far
 */
record Compilation(byte[] cubin, String log, String ptx) {
    boolean succeeded() {
        return cubin.length > 0;
    }
}
