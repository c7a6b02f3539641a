// Linked before the kernels: bounds their static shared arrays, which no attribute gathers where templates declare them.
extern "C" {
__attribute__((visibility("hidden"), aligned(128))) unsigned char shim_shared_begin[128];
}
