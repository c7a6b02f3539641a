package dev.remat.compiler.onnx;

/** A node that ONNX has no words for; the message is a clause that says why. */
final class NotInOnnxException extends RuntimeException {
    private final String code;
    private final String wayOut;

    /** @param code of the error that tells of it */
    NotInOnnxException(String code, String reason, String wayOut) {
        super(reason);
        this.code = code;
        this.wayOut = wayOut;
    }

    String code() {
        return code;
    }

    String wayOut() {
        return wayOut;
    }
}
