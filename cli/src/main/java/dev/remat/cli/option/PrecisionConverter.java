package dev.remat.cli.option;

import dev.remat.ir.DType;
import java.util.Arrays;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A floating point dtype by its label. */
public final class PrecisionConverter implements ITypeConverter<DType> {
    @Override
    public DType convert(String label) {
        return find(label)
                .orElseThrow(() -> new TypeConversionException(
                        "unknown precision '" + label + "'; there are f32, bf16, f16, f64"));
    }

    static Optional<DType> find(String label) {
        return Arrays.stream(DType.values())
                .filter(dtype -> dtype.isFloat() && dtype.label().equals(label))
                .findFirst();
    }
}
