/*
 * Names of container images, as docker and podman read them: [REGISTRY/]PATH[:TAG][@DIGEST].
 */
#ifndef BAILEY_SANDBOX_IMAGE_H
#define BAILEY_SANDBOX_IMAGE_H

#include "base/arena.h"
#include "base/err.h"
#include "policy/policy.h"

struct image {
        struct str registry; /* with its port; docker.io where the name has none */
        struct str path;     /* as it is written */
        struct str tag;      /* empty: none */
        struct str digest;   /* "sha256:..."; empty: none */
        bool local;          /* localhost/...: was built here, and cannot be pulled */
};

/* The slices are parts of `name`, or constants. The error says which part is wrong. */
int image_read(struct str name, struct image *ret, struct err *err);

/* Returns the full name with its registry, so that no engine searches other registries: docker.io/library/ubuntu:22.04. */
const char *image_full_name(const struct image *image, struct arena *arena);

/* Returns true if the image is local or from one of these registries. index.docker.io is docker.io. */
bool image_trusted(const struct image *image, const struct str_list *registries);

#endif
