package dev.remat.cli.option;

import dev.remat.ir.DType;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A floating point dtype by its label. */
public final class PrecisionConverter implements ITypeConverter<DType> {
    @Override
    public DType convert(String label) {
        return DType.findFloat(label)
                .orElseThrow(() -> new TypeConversionException(
                        "unknown precision '" + label + "'; there are f32, bf16, f16, f64"));
    }
}
