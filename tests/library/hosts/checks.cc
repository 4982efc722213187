/* A program in C++ that asks for a verdict. */
#include <bailey.h>
#include <cstring>
#include <string>

int main() {
        const std::string command = "a=rm; $a -rf /";
        bailey_policy_options options{};
        bailey_policy *policy = nullptr;
        char error[256], *text = nullptr;
        size_t length = 0;

        options.workspace = ".";
        if (bailey_policy_load(&options, &policy, error, sizeof(error)) < 0)
                return 3;
        const int action = bailey_check(policy, command.data(), command.size(), BAILEY_ANSWER_JSON, &text, &length);
        const bool named = text && std::strstr(text, "recursive-delete-root") != nullptr;
        bailey_free(text);
        bailey_policy_free(policy);
        return action == BAILEY_BLOCKED && named ? 0 : 4;
}
