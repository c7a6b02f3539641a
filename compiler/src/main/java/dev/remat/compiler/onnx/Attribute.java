package dev.remat.compiler.onnx;

import java.util.List;

/** A constant of an operator, as an {@code AttributeProto}. */
record Attribute(String name, ProtoMessage message) {
    private static final int FLOAT = 1;
    private static final int INT = 2;
    private static final int STRING = 3;
    private static final int INTS = 7;
    private static final int TYPE = 20;

    static Attribute of(String name, long value) {
        return new Attribute(
                name, new ProtoMessage().text(1, name).number(3, value).number(TYPE, INT));
    }

    static Attribute of(String name, boolean value) {
        return of(name, value ? 1 : 0);
    }

    static Attribute of(String name, double value) {
        return new Attribute(
                name, new ProtoMessage().text(1, name).real(2, (float) value).number(TYPE, FLOAT));
    }

    static Attribute of(String name, String value) {
        return new Attribute(
                name, new ProtoMessage().text(1, name).text(4, value).number(TYPE, STRING));
    }

    static Attribute of(String name, List<? extends Number> values) {
        ProtoMessage message = new ProtoMessage().text(1, name);
        values.forEach(value -> message.number(8, value.longValue()));
        return new Attribute(name, message.number(TYPE, INTS));
    }
}
