// What the driver's management library tells of a GPU, for tests: a card that is warm and throttled by its power.
#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int nvmlInit_v2() {
    return 0;
}

EXPORTED int nvmlDeviceGetHandleByIndex_v2(unsigned, void** device) {
    static int only;
    *device = &only;
    return 0;
}

EXPORTED int nvmlDeviceGetClockInfo(void*, int which, unsigned* megahertz) {
    *megahertz = which == 1 ? 1755 : 2619;
    return 0;
}

EXPORTED int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
    *milliwatts = 412345;
    return 0;
}

EXPORTED int nvmlDeviceGetTemperature(void*, int, unsigned* degrees) {
    *degrees = 55;
    return 0;
}

EXPORTED int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
    *reasons = 4;
    return 0;
}

EXPORTED int nvmlDeviceGetMemoryInfo(void*, unsigned long long* bytes) {
    bytes[0] = 80ull << 30;
    bytes[1] = 79ull << 30;
    bytes[2] = 1ull << 30;
    return 0;
}
