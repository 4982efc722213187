#include "include/bailey.h"

/* Commands have no homes of their own. */
int bailey_home_list(const struct bailey_policy *policy, const char *const *environment, enum bailey_home_choice choice,
                     const char *workspace, long long measure_ms, struct bailey_homes *ret, char *ret_error,
                     size_t error_size) {
        (void)policy, (void)environment, (void)choice, (void)workspace, (void)measure_ms, (void)ret_error, (void)error_size;
        *ret = (struct bailey_homes){ 0 };
        return 0;
}

void bailey_homes_free(struct bailey_homes *homes) {
        (void)homes;
}
