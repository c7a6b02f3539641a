// SHA-256 (FIPS 180-4).

uint32_t rotated(uint32_t x, int by) {
    return x >> by | x << (32 - by);
}

/** The first 32 bits of the fractional part of the root of degree `degree` of `prime`. */
uint32_t fraction(int prime, int degree) {
    long double whole = prime;
    long double root = degree == 2 ? std::sqrt(whole) : std::cbrt(whole);
    return static_cast<uint32_t>((root - std::floor(root)) * 4294967296.0L);
}

struct Sha256Constants {
    uint32_t initial[8], round[64];

    Sha256Constants() {
        int found = 0;
        for (int candidate = 2; found < 64; ++candidate) {
            bool prime = true;
            for (int divisor = 2; divisor * divisor <= candidate; ++divisor) {
                prime = prime && candidate % divisor != 0;
            }
            if (prime) {
                round[found] = fraction(candidate, 3);
                if (found < 8) {
                    initial[found] = fraction(candidate, 2);
                }
                ++found;
            }
        }
    }
};

void compress(uint32_t (&hash)[8], const unsigned char* block, const Sha256Constants& constants) {
    uint32_t w[64];
    for (int i = 0; i < 16; ++i) {
        w[i] = uint32_t{block[4 * i]} << 24 | uint32_t{block[4 * i + 1]} << 16 | uint32_t{block[4 * i + 2]} << 8
                | block[4 * i + 3];
    }
    for (int i = 16; i < 64; ++i) {
        uint32_t low = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t high = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + low + w[i - 7] + high;
    }
    uint32_t v[8];
    std::memcpy(v, hash, sizeof v);
    for (int i = 0; i < 64; ++i) {
        uint32_t high = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t first = v[7] + high + choice + constants.round[i] + w[i];
        uint32_t low = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        std::memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += first;
        v[0] = first + low + majority;
    }
    for (int i = 0; i < 8; ++i) {
        hash[i] += v[i];
    }
}

std::string sha256(std::vector<unsigned char> content) {
    static const Sha256Constants constants;
    uint64_t bits = uint64_t{content.size()} * 8;
    content.push_back(0x80);
    while (content.size() % 64 != 56) {
        content.push_back(0);
    }
    for (int shift = 56; shift >= 0; shift -= 8) {
        content.push_back(static_cast<unsigned char>(bits >> shift));
    }
    uint32_t hash[8];
    std::memcpy(hash, constants.initial, sizeof hash);
    for (size_t at = 0; at < content.size(); at += 64) {
        compress(hash, content.data() + at, constants);
    }
    std::string text;
    for (uint32_t word : hash) {
        char digits[9];
        std::snprintf(digits, sizeof digits, "%08x", word);
        text += digits;
    }
    return text;
}
