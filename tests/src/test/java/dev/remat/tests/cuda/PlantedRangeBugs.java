package dev.remat.tests.cuda;

import java.util.List;

/** Mistakes that operands about zero do not show, nor few rows. */
final class PlantedRangeBugs {
    static final List<PlantedBug> ALL = List.of(
            // Nothing is subtracted before exponentials are taken, or what was summed is not brought to it.
            new PlantedBug(
                    "attention_without_its_maximum",
                    "attention_tensor_forward.cuh",
                    "largest = fmaxf(largest, most[m][half]);",
                    "largest = 0.0f;",
                    "far attention"),
            new PlantedBug(
                    "attention_rescales_three_columns_of_four",
                    "attention_tensor_forward.cuh",
                    "sums[m][n][2 * half + 1] *= correction;",
                    "sums[m][n][2 * half + 1] *= half == 0 ? correction : 1.0f;",
                    "far attention"),
            new PlantedBug(
                    "plain_attention_without_its_maximum",
                    "attention_plain.cuh",
                    "largest = math::larger(largest, most[i]);",
                    "largest = 0;",
                    "far plain attention"),
            new PlantedBug(
                    "softmax_without_its_maximum",
                    "softmax.cuh",
                    "maximum = max_threads<T, 256>(maximum);",
                    "maximum = 0;",
                    "far softmax"),
            new PlantedBug(
                    "long_softmax_without_its_maximum",
                    "softmax.cuh",
                    "maximum = math::larger(x[i], maximum);",
                    "maximum = 0;",
                    "long far softmax"),
            new PlantedBug(
                    "log_sum_exp_that_is_not_rescaled_between_rounds",
                    "softmax.cuh",
                    "A sum = state.at[1] * math::exp_of_negative(state.at[0] - from);",
                    "A sum = state.at[1];",
                    "rising loss"),
            new PlantedBug(
                    "log_sum_exp_of_nothing",
                    "softmax.cuh",
                    "return maximum == Least<A>::value() ? A(0) : maximum;",
                    "return maximum;",
                    "loss of two"),
            new PlantedBug(
                    "log_sum_exp_of_what_cannot_be",
                    "softmax.cuh",
                    "return maximum == Least<A>::value() ? A(0) : maximum;",
                    "return maximum;",
                    "rising loss"),
            // Functions whose ends are too near.
            new PlantedBug(
                    "exponential_up_to_30",
                    "math32.cuh",
                    "bounded > 89.0f ? 89.0f : bounded;",
                    "bounded > 30.0f ? 30.0f : bounded;",
                    "far exponential"),
            new PlantedBug(
                    "exponential_down_to_minus_30",
                    "math32.cuh",
                    "float bounded = x < -104.0f ? -104.0f : x;",
                    "float bounded = x < -30.0f ? -30.0f : x;",
                    "small exponential"),
            new PlantedBug(
                    "exponential_less_one_of_wrong_power",
                    "math32.cuh",
                    "n < -126 ? 0.0f : two_to(n);",
                    "two_to(n);",
                    "far tanh"),
            new PlantedBug(
                    "gaussian_tail_down_to_5",
                    "math32.cuh",
                    "t > 15.0f ? 15.0f : t;",
                    "t > 5.0f ? 5.0f : t;",
                    "far gelu gradient"),
            // Sums of squares of what lies about 100.
            new PlantedBug(
                    "moments_of_columns_about_zero",
                    "column_moments.cuh",
                    "state.first = state.count == 0 ? x : state.first;",
                    "",
                    "far moments of columns"),
            new PlantedBug(
                    "moments_of_a_row_count_what_is_not_there",
                    "normalization.cuh",
                    "lane + i * T < held ? wide(values[i], v) - center : A(0);",
                    "wide(values[i], v) - center;",
                    "far statistics"),
            // More rows than there are digits.
            new PlantedBug(
                    "sort_puts_later_ones_first",
                    "sort.cuh",
                    "const u32 earlier = __popc(alike & ((1u << lane) - 1));",
                    "const u32 earlier = __popc(alike & ~((2u << lane) - 1));",
                    "sort of many"));

    private PlantedRangeBugs() {}
}
