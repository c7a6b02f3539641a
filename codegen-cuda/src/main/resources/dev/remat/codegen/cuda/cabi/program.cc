// What step.cc holds of an artifact, and the choice among its architectures.

/** A kernel with its launch shape; many launches share one. */
struct Shape {
    uint32_t kernel, grid[3], block[3], shared;
};

/** A kernel as every architecture knows it. */
struct Kernel {
    const char* symbol;
    const char* parameters;  // a letter each: p for an offset in the arena, - for a plain slot
    const char* location;    // first line of the model that it computes; empty where there is none
};

/** Launches that run one after the other: in rounds, one a micro-batch, or once. */
struct Section {
    size_t from, to;
    int rounds;
//moving:     size_t meetings, metTo;
};
//moving:
//moving: /** A copy between the arena and memory of the host; waits for others, whose numbers follow one another in WAITS. */
//moving: struct Transfer {
//moving:     const char* name;
//moving:     int lane;
//moving:     uint64_t arena, host, bytes;
//moving:     size_t waits, waitsTo;
//moving: };
//moving:
//moving: /** Where kernels meet a copy, in front of a launch: it may begin there, or they wait until it has ended. */
//moving: struct Meeting {
//moving:     size_t launch;
//moving:     bool awaited;
//moving:     size_t transfer;
//moving: };

//staged: /** Where a stage stops, in front of a launch. */
//staged: struct Stop {
//staged:     size_t launch;
//staged:     int kind, message;
//staged: };
//staged:
/** What runs on one architecture. Arguments of all launches stand one after the other. */
struct Program {
    const char* architecture;
    int capability;  // 90 for sm_90a
    bool exact;      // runs on that compute capability alone, not on later ones of its generation
    const char* cubin;
    uint64_t cubinBytes;
    const char* cubinHash;
    const Shape* shapes;
    const uint32_t* shapeOfLaunch;
    size_t launchCount;
    const Section* sections;
//moving:     const Meeting* meetings;
//staged:     const Stop* stops;
    const int64_t* arguments;
    size_t argumentCount;
};

//moving: constexpr int STORE = 0, FETCH = 1, LANES = 2;
//moving:
// remat: tables

constexpr int CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76, MAX_DYNAMIC_SHARED = 8, NON_BLOCKING = 1, THREAD_LOCAL = 1;
constexpr int NOT_SUPPORTED = 801;

/** The best program for a compute capability: made for just that, else for an earlier one of its generation. */
const Program& choose(int capability, const std::string& device) {
    const Program* best = nullptr;
    std::string built;
    for (const Program& program : PROGRAMS) {
        bool fits = program.exact ? program.capability == capability
                                  : program.capability / 10 == capability / 10 && program.capability <= capability;
        bool better = best == nullptr || program.capability > best->capability
                || (program.capability == best->capability && program.exact);
        best = fits && better ? &program : best;
        built += std::string(built.empty() ? "" : ", ") + program.architecture;
    }
    if (best == nullptr) {
        std::string own = "sm_" + std::to_string(capability);
        throw failure(device + " is " + own + ", and this artifact was built for " + built
                + "; build it again with --arch for " + own);
    }
    return *best;
}

std::vector<unsigned char> read(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) {
        throw failure(path + " cannot be read: " + std::strerror(errno));
    }
    std::vector<unsigned char> content;
    unsigned char chunk[1 << 16];
    for (size_t count; (count = std::fread(chunk, 1, sizeof chunk, file)) > 0;) {
        content.insert(content.end(), chunk, chunk + count);
    }
    std::fclose(file);
    return content;
}

std::vector<unsigned char> cubin(const std::string& artifact, const Program& program) {
    std::string path = artifact + "/" + program.cubin;
    std::vector<unsigned char> content = read(path);
    if (content.size() != program.cubinBytes || sha256(content) != program.cubinHash) {
        throw failure(path + " is not the file that step.cc was built with; take both from one 'remat build'");
    }
    return content;
}
