// needs: block.cuh
// Connectionist temporal classification (Graves et al., 2006), a block of 256 threads for each sample. Labels stand at
// the odd places of a sample, blanks at the even ones; rows of places hold logarithms.

namespace remat {

/// The operands: log-probabilities [frames, samples, classes], targets [samples, labels], and lengths [samples].
template <class E, class I> struct CtcOperands {
    const E* probabilities;
    const I* targets;
    const I* input_lengths;
    const I* target_lengths;
    u32 frames;
    u32 samples;
    u32 classes;
    u32 labels;
    u32 blank;
};

/// Log of a sum of numbers given by their logs.
template <class A> __device__ __forceinline__ A log_sum(A a, A b, A c) {
    const A most = math::max(a, math::max(b, c));
    if (most == Least<A>::value()) {
        return most;
    }
    return most + math::log(math::exp_of_negative(a - most) + math::exp_of_negative(b - most) +
                            math::exp_of_negative(c - most));
}

/// The paths of one sample; without frames and labels where a length or a label that counts is out of range.
template <class E, class I> struct CtcPaths {
    CtcOperands<E, I> in;
    u32 sample;
    u32 length;
    u32 places;
    bool valid;

    /// All threads of the block must make it together.
    __device__ __forceinline__ CtcPaths(const CtcOperands<E, I>& operands, u32 number)
        : in(operands), sample(number) {
        const i64 frames = in.input_lengths[number];
        const i64 labels = in.target_lengths[number];
        valid = frames >= 0 && frames <= static_cast<i64>(in.frames) && labels >= 0 &&
                labels <= static_cast<i64>(in.labels);
        i32 strays = 0;
        for (u32 i = threadIdx.x; valid && static_cast<i64>(i) < labels; i += 256) {
            const i64 label = at(i);
            strays += label < 0 || label >= static_cast<i64>(in.classes) ? 1 : 0;
        }
        valid = sum_threads<256, 256>(strays) == 0 && valid;
        length = valid ? static_cast<u32>(frames) : 0;
        places = valid ? 2 * static_cast<u32>(labels) + 1 : 1;
    }

    __device__ __forceinline__ i64 at(u32 label) const {
        return in.targets[static_cast<u64>(sample) * in.labels + label];
    }

    __device__ __forceinline__ u32 symbol(u32 place) const {
        return place % 2 == 0 ? in.blank : static_cast<u32>(at(place / 2));
    }

    /// Whether a path may come to a place from two before it: no blank, no repetition.
    __device__ __forceinline__ bool skips(u32 place) const {
        return place > 1 && place < places && symbol(place) != symbol(place - 2);
    }

    template <class A> __device__ __forceinline__ A probability(u32 frame, u32 place) const {
        const u64 row = static_cast<u64>(frame) * in.samples + sample;
        return widen(in.probabilities[row * in.classes + symbol(place)]);
    }

    /// Goes through the frames and returns the loss. Rows of `width` places: one for each frame, or two in turn.
    template <bool KEPT, class A> __device__ __forceinline__ A loss(A* rows, u64 width) const {
        const A none = Least<A>::value();
        const A* before = rows;
        for (u32 frame = 0; frame < length; frame++) {
            A* const now = rows + (KEPT ? frame : frame % 2) * width;
            for (u32 place = threadIdx.x; place < places; place += 256) {
                const A arriving = frame == 0 ? (place < 2 ? A(0) : none)
                                              : log_sum(before[place], place > 0 ? before[place - 1] : none,
                                                        skips(place) ? before[place - 2] : none);
                now[place] = arriving + probability<A>(frame, place);
            }
            __syncthreads();
            before = now;
        }
        if (!valid) {
            return math::log(A(-1));
        }
        if (length == 0) {
            return places == 1 ? A(0) : -none;
        }
        return -log_sum(before[places - 1], places > 1 ? before[places - 2] : none, none);
    }

    /// Goes back through the frames and puts the share of each place in each frame where loss() left its row.
    template <class A> __device__ __forceinline__ void shares(A* rows, A* ring, u64 width, A loss) const {
        const A none = Least<A>::value();
        for (u32 frame = length; frame-- > 0;) {
            A* const now = ring + frame % 2 * width;
            const A* const after = ring + (frame + 1) % 2 * width;
            for (u32 place = threadIdx.x; place < places; place += 256) {
                const A leaving = frame == length - 1
                                      ? (place + 2 >= places ? A(0) : none)
                                      : log_sum(after[place], place + 1 < places ? after[place + 1] : none,
                                                skips(place + 2) ? after[place + 2] : none);
                A* const share = rows + frame * width + place;
                *share = math::exp_of_negative(*share + leaving + loss);
                now[place] = leaving + probability<A>(frame, place);
            }
            __syncthreads();
        }
    }

    /// For each label the next equal one, or `labels`; negative unless it is the first of them.
    __device__ __forceinline__ void link(i32* links) const {
        const u32 count = places / 2;
        for (u32 i = threadIdx.x; i < count; i += 256) {
            const i64 label = at(i);
            u32 next = i + 1;
            while (next < count && at(next) != label) {
                next++;
            }
            u32 first = 0;
            while (at(first) != label) {
                first++;
            }
            const i32 there = static_cast<i32>(next < count ? next : in.labels);
            links[i] = first == i ? there : -there;
        }
    }
};

template <class E, class I, class A>
__device__ __forceinline__ void ctc_loss(const CtcOperands<E, I>& in, A* losses, A* rows, bool zero_infinity) {
    const CtcPaths<E, I> paths(in, blockIdx.x);
    const u64 width = 2 * static_cast<u64>(in.labels) + 1;
    const A loss = paths.template loss<false>(rows + blockIdx.x * 2 * width, width);
    if (threadIdx.x == 0) {
        losses[blockIdx.x] = zero_infinity && loss == -Least<A>::value() ? A(0) : loss;
    }
}

/// The loss of each sample, the share of each place in it, and links between equal labels.
template <class E, class I, class A>
__device__ __forceinline__ void ctc_shares(const CtcOperands<E, I>& in, A* losses, A* rows, A* rings, i32* links) {
    const CtcPaths<E, I> paths(in, blockIdx.x);
    const u64 width = 2 * static_cast<u64>(in.labels) + 1;
    A* const own = rows + static_cast<u64>(blockIdx.x) * in.frames * width;
    const A loss = paths.template loss<true>(own, width);
    __syncthreads();
    paths.shares(own, rings + blockIdx.x * 2 * width, width, loss);
    paths.link(links + static_cast<u64>(blockIdx.x) * in.labels);
    if (threadIdx.x == 0) {
        losses[blockIdx.x] = loss;
    }
}

/// A row of the gradient for each block: what the shares of a class add up to, label by label and then the blanks.
template <class E, class I, class A>
__device__ __forceinline__ void ctc_gradient(const CtcOperands<E, I>& in, const A* dlosses, const A* losses,
                                             const A* rows, const i32* links, E* dprobabilities, bool zero_infinity) {
    const u32 frame = blockIdx.x / in.samples;
    const u32 sample = blockIdx.x % in.samples;
    const A loss = losses[sample];
    E* const to = dprobabilities + static_cast<u64>(blockIdx.x) * in.classes;
    const A factor = -dlosses[sample];
    const A rest = loss == loss ? A(0) : loss;
    for (u32 c = threadIdx.x; c < in.classes; c += 256) {
        to[c] = narrow<E>(rest);
    }
    const bool zeroed = zero_infinity && loss == -Least<A>::value();
    if (loss != loss || zeroed || static_cast<i64>(frame) >= in.input_lengths[sample]) {
        return;
    }
    const u64 width = 2 * static_cast<u64>(in.labels) + 1;
    const A* const shares = rows + (static_cast<u64>(sample) * in.frames + frame) * width;
    const I* const targets = in.targets + static_cast<u64>(sample) * in.labels;
    const i32* const own = links + static_cast<u64>(sample) * in.labels;
    const u32 count = static_cast<u32>(in.target_lengths[sample]);
    __syncthreads();
    A blanks = threadIdx.x == 0 ? shares[2 * count] : A(0);
    for (u32 i = threadIdx.x; i < count; i += 256) {
        const u32 label = static_cast<u32>(targets[i]);
        blanks = blanks + shares[2 * i];
        if (label == in.blank) {
            blanks = blanks + shares[2 * i + 1];
        } else if (own[i] > 0) {
            A sum = 0;
            for (u32 at = i; at < count; at = static_cast<u32>(own[at] > 0 ? own[at] : -own[at])) {
                sum = sum + shares[2 * at + 1];
            }
            to[label] = narrow<E>(sum == A(0) ? A(0) : factor * sum);
        }
    }
    blanks = sum_threads<256, 256>(blanks);
    if (threadIdx.x == 0) {
        to[in.blank] = narrow<E>(blanks == A(0) ? A(0) : factor * blanks);
    }
}

}  // namespace remat
