// Runs an artifact's training steps through its C ABI, holds them against a recording, and times them.
//
//     c++ -O2 -std=c++17 -IARTIFACT run_step.cc ARTIFACT/step.cc -o run_step -ldl
//     ./run_step ARTIFACT RECORDING [--device N] [--tolerance R] [--exact] [--seed N] [--time N] [--rounds] [--write FILE]
//
// A recording (see RecordSteps.java) is a line "remat-recording/1", a line "NAME BYTES" for each entry, an empty line,
// then the bytes of all entries, one after the other. Entries are initial/TENSOR, then for each step batch.K/TENSOR with
// all rows of its batch and loss.K (f64), at the end final/TENSOR. Relative error is the norm of the difference over the
// expected norm. With --rounds, micro-batches are brought and run one by one. --write keeps the recording with what these
// steps gave instead, for others to be held against it bit by bit.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "step.h"

namespace {

struct Entry {
    std::string name;
    std::streamoff offset;
    uint64_t bytes;
};

struct Comparison {
    std::string name;
    double relative, largest;
    bool equal;
};

[[noreturn]] void fail(const std::string& message) {
    std::fprintf(stderr, "run_step: %s\n", message.c_str());
    std::exit(1);
}

void check(int failed) {
    if (failed) {
        fail(remat_error());
    }
}

class Recording {
public:
    explicit Recording(const char* path) : file(path, std::ios::binary) {
        std::string line;
        if (!std::getline(file, line) || line != "remat-recording/1") {
            fail(std::string(path) + " is no recording");
        }
        std::streamoff offset = 0;
        while (std::getline(file, line) && !line.empty()) {
            size_t space = line.rfind(' ');
            uint64_t bytes = std::strtoull(line.c_str() + space, nullptr, 10);
            all.push_back({line.substr(0, space), offset, bytes});
            offset += static_cast<std::streamoff>(bytes);
        }
        std::streamoff begin = file.tellg();
        for (Entry& entry : all) {
            entry.offset += begin;
        }
    }

    const std::vector<Entry>& entries() const { return all; }

    std::vector<char> content(const Entry& entry) {
        std::vector<char> bytes(entry.bytes);
        file.seekg(entry.offset);
        if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
            fail("the recording ends within " + entry.name);
        }
        return bytes;
    }

private:
    std::ifstream file;
    std::vector<Entry> all;
};

double half(uint16_t bits) {
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double size = exponent == 31 ? (mantissa ? NAN : INFINITY)
            : exponent           ? std::ldexp(1024 + mantissa, exponent - 25)
                                 : std::ldexp(mantissa, -24);
    return bits >> 15 ? -size : size;
}

template <class T> T raw(const char* bytes, size_t index) {
    T value;
    std::memcpy(&value, bytes + index * sizeof value, sizeof value);
    return value;
}

double element(const std::string& dtype, const char* bytes, size_t index) {
    if (dtype == "f32") {
        return raw<float>(bytes, index);
    }
    if (dtype == "f64") {
        return raw<double>(bytes, index);
    }
    if (dtype == "bf16") {
        uint32_t wide = uint32_t{raw<uint16_t>(bytes, index)} << 16;
        float value;
        std::memcpy(&value, &wide, sizeof value);
        return value;
    }
    return dtype == "f16" ? half(raw<uint16_t>(bytes, index))
            : dtype == "i64" ? static_cast<double>(raw<int64_t>(bytes, index))
            : dtype == "i32" ? raw<int32_t>(bytes, index)
                             : raw<unsigned char>(bytes, index);
}

size_t width(const std::string& dtype) {
    return dtype == "f64" || dtype == "i64" ? 8 : dtype == "f32" || dtype == "i32" ? 4 : dtype == "bool" ? 1 : 2;
}

Comparison compare(const std::string& name, const std::string& dtype, const std::vector<char>& expected,
        const std::vector<char>& found) {
    double square = 0, norm = 0, largest = 0;
    for (size_t i = 0; i < expected.size() / width(dtype); ++i) {
        double want = element(dtype, expected.data(), i);
        double difference = std::fabs(element(dtype, found.data(), i) - want);
        square += difference * difference;
        norm += want * want;
        largest = std::isnan(difference) ? difference : std::max(largest, difference);
    }
    double relative = square == 0 ? 0 : std::sqrt(square / norm);
    return {name, relative, largest, expected == found};
}

/** Brings the rows of one micro-batch after another, and runs each. */
void runRounds(remat_step* step, int64_t number, const std::map<std::string, std::vector<char>>& batch) {
    for (int pass = 0; pass < remat_passes(); ++pass) {
        for (int k = 0; k < remat_micro_batches(); ++k) {
            for (const auto& [name, rows] : batch) {
                size_t bytes = rows.size() / static_cast<size_t>(remat_micro_batches());
                check(remat_write(step, name.c_str(), rows.data() + static_cast<size_t>(k) * bytes, bytes));
            }
            check(remat_run_micro_batch(step, number, pass, k));
        }
    }
    check(remat_finish_step(step));
}

/** Writes a recording of these entries with contents of their own. */
void write(const char* path, const std::vector<Entry>& entries, const std::vector<std::vector<char>>& contents) {
    std::ofstream file(path, std::ios::binary);
    file << "remat-recording/1\n";
    for (const Entry& entry : entries) {
        file << entry.name << ' ' << entry.bytes << '\n';
    }
    file << '\n';
    for (const std::vector<char>& content : contents) {
        file.write(content.data(), static_cast<std::streamsize>(content.size()));
    }
    if (!file.flush()) {
        fail(std::string(path) + " cannot be written");
    }
}

/** Medians of `steps` steps: each waited for, then all in a row. */
void time(remat_step* step, int steps, int64_t number) {
    using Clock = std::chrono::steady_clock;
    auto millis = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
    std::vector<double> alone;
    for (int i = 0; i < steps; ++i) {
        auto begin = Clock::now();
        check(remat_run(step, ++number));
        check(remat_synchronize(step));
        alone.push_back(millis(Clock::now() - begin));
    }
    std::sort(alone.begin(), alone.end());
    double host = 0;
    auto begin = Clock::now();
    for (int i = 0; i < steps; ++i) {
        auto launched = Clock::now();
        check(remat_run(step, ++number));
        host += millis(Clock::now() - launched);
    }
    check(remat_synchronize(step));
    std::printf("time: %.3f ms a step waited for (median of %d), %.3f ms in a row, of which the host took %.3f ms\n",
            alone[alone.size() / 2], steps, millis(Clock::now() - begin) / steps, host / steps);
}

struct Options {
    const char *artifact, *recording, *seed = nullptr, *write = nullptr;
    int device = 0, timed = 0;
    double tolerance = 1e-4;
    bool exact = false, rounds = false;
};

Options parse(int count, char** words) {
    Options options{count > 1 ? words[1] : nullptr, count > 2 ? words[2] : nullptr};
    if (count < 3) {
        fail("run_step ARTIFACT RECORDING [--device N] [--tolerance R] [--exact] [--seed N] [--time N] [--rounds] "
             "[--write FILE]");
    }
    for (int i = 3; i < count; ++i) {
        std::string word = words[i];
        if (word == "--exact") {
            options.exact = true;
        } else if (word == "--rounds") {
            options.rounds = true;
        } else if (i + 1 == count) {
            fail("unknown option " + word);
        } else if (word == "--device") {
            options.device = std::atoi(words[++i]);
        } else if (word == "--tolerance") {
            options.tolerance = std::atof(words[++i]);
        } else if (word == "--seed") {
            options.seed = words[++i];
        } else if (word == "--time") {
            options.timed = std::atoi(words[++i]);
        } else if (word == "--write") {
            options.write = words[++i];
        } else {
            fail("unknown option " + word);
        }
    }
    return options;
}

}  // namespace

int main(int count, char** words) {
    Options options = parse(count, words);
    Recording recording(options.recording);
    int tensorCount = 0;
    const remat_tensor* tensors = remat_tensors(&tensorCount);
    std::map<std::string, std::string> dtypes;
    for (int i = 0; i < tensorCount; ++i) {
        dtypes.emplace(tensors[i].name, tensors[i].dtype);
    }
    remat_step* step = nullptr;
    check(remat_create(options.artifact, options.device, 0, &step));
    if (options.seed != nullptr) {
        check(remat_seed(step, std::atoll(options.seed)));
    }
    std::vector<Comparison> comparisons;
    std::vector<std::vector<char>> given;
    std::map<std::string, std::vector<char>> batch;
    int64_t steps = 0;
    for (const Entry& entry : recording.entries()) {
        std::string kind = entry.name.substr(0, entry.name.find('/'));
        std::string name = entry.name.substr(std::min(kind.size() + 1, entry.name.size()));
        std::vector<char> content = recording.content(entry);
        if (kind.rfind("loss.", 0) == 0) {
            ++steps;
            if (options.rounds) {
                runRounds(step, steps, batch);
            } else {
                check(remat_run(step, steps));
            }
            std::vector<char> loss(sizeof(double));
            double value = 0;
            check(remat_loss(step, &value));
            std::memcpy(loss.data(), &value, sizeof value);
            comparisons.push_back(compare(entry.name, "f64", content, loss));
            given.push_back(std::move(loss));
            std::printf("step %lld  loss %.9g, expected %.9g\n", static_cast<long long>(steps), value,
                    raw<double>(content.data(), 0));
        } else if (kind == "final") {
            std::vector<char> found(content.size());
            check(remat_read(step, name.c_str(), found.data(), found.size()));
            comparisons.push_back(compare(name, dtypes[name], content, found));
            given.push_back(std::move(found));
        } else {
            check(remat_write(step, name.c_str(), content.data(), content.size()));
            given.push_back(content);
            if (kind != "initial") {
                batch[name] = std::move(content);
            }
        }
    }
    size_t equal = 0, wrong = 0;
    for (const Comparison& each : comparisons) {
        bool bad = options.exact ? !each.equal : !(each.relative <= options.tolerance);
        equal += each.equal;
        wrong += bad;
    }
    std::stable_sort(comparisons.begin(), comparisons.end(), [](const Comparison& a, const Comparison& b) {
        return std::isnan(a.relative) != std::isnan(b.relative) ? std::isnan(a.relative) : a.relative > b.relative;
    });
    std::printf("%-44s %12s %12s\n", "largest differences", "relative", "largest");
    for (size_t i = 0; i < std::min<size_t>(comparisons.size(), 12); ++i) {
        std::printf("%-44s %12.3g %12.3g\n", comparisons[i].name.c_str(), comparisons[i].relative,
                comparisons[i].largest);
    }
    std::printf("%zu of %zu equal bit for bit; %zu beyond the tolerance\n", equal, comparisons.size(), wrong);
    if (options.write != nullptr) {
        write(options.write, recording.entries(), given);
    }
    for (const auto& [name, rows] : batch) {
        check(remat_write(step, name.c_str(), rows.data(), rows.size()));
    }
    if (options.timed > 0) {
        time(step, options.timed, steps);
    }
    remat_destroy(step);
    return wrong == 0 ? 0 : 1;
}
