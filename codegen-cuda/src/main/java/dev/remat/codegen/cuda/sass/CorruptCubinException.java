package dev.remat.codegen.cuda.sass;

/** A cubin that is no whole ELF file of machine code, or lacks a kernel that is asked for. */
public final class CorruptCubinException extends RuntimeException {
    public CorruptCubinException(String problem) {
        super(problem);
    }
}
