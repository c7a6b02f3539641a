package dev.remat.compiler.model;

/** A step of a model was asked for, and one of its symbols has no value. */
public final class UnboundSymbolException extends IllegalArgumentException {
    private final String symbol;

    UnboundSymbolException(String symbol) {
        super("the model's symbol " + symbol + " needs a value");
        this.symbol = symbol;
    }

    public String symbol() {
        return symbol;
    }
}
