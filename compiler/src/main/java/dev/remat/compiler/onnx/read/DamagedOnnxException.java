package dev.remat.compiler.onnx.read;

/** A file that is no model of ONNX, is damaged, or asks for what no honest file asks. */
public final class DamagedOnnxException extends RuntimeException {
    /** @param problem what is wrong and where, without the file's name */
    public DamagedOnnxException(String problem) {
        super(problem);
    }

    /** @param offset byte of the file */
    DamagedOnnxException(long offset, String problem) {
        super(problem + ", at byte " + offset);
    }
}
