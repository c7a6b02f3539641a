// Floats of the arena as doubles.

double f16(uint16_t bits) {
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double size = exponent == 31 ? (mantissa ? NAN : INFINITY)
            : exponent == 0      ? std::ldexp(mantissa, -24)
                                 : std::ldexp(1024 + mantissa, exponent - 25);
    return bits >> 15 ? -size : size;
}

double scalar(const void* bytes, const std::string& dtype) {
    double f64 = 0;
    float f32 = 0;
    uint16_t narrow = 0;
    if (dtype == "f64") {
        std::memcpy(&f64, bytes, sizeof f64);
        return f64;
    }
    if (dtype == "f32") {
        std::memcpy(&f32, bytes, sizeof f32);
        return f32;
    }
    std::memcpy(&narrow, bytes, sizeof narrow);
    if (dtype == "f16") {
        return f16(narrow);
    }
    uint32_t wide = uint32_t{narrow} << 16;
    std::memcpy(&f32, &wide, sizeof f32);
    return f32;
}
