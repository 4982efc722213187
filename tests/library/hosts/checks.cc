/* A program in C++ that asks for a verdict. */
#include <bailey.h>
#include <string>

int main() {
        const std::string command = "a=rm; $a -rf /";
        bailey_policy_options options{};
        bailey_policy *policy = nullptr;
        bailey_verdict verdict{};
        char error[256];

        options.workspace = ".";
        if (bailey_policy_load(&options, &policy, error, sizeof(error)) < 0)
                return 3;
        const int action = bailey_check(policy, command.data(), command.size(), &verdict);
        const bool named = verdict.reason_count > 0 &&
                           std::string(verdict.reasons[0].rule.text, verdict.reasons[0].rule.length) == "recursive-delete-root";
        bailey_verdict_free(&verdict);
        bailey_policy_free(policy);
        return action == BAILEY_BLOCKED && named ? 0 : 4;
}
