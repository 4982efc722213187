#include "cli/serve.h"

int serve_page(struct bailey_audit_page *page, uint16_t port, void (*address)(const char *text), struct err *err) {
        (void)page;
        (void)port;
        (void)address;
        return err_set(err, ERR_UNSUPPORTED, "audit serve is not available on Windows; use bailey audit report --html FILE");
}
