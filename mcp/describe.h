/*
 * What agents are told of the server and its tools: it follows from the policy in force.
 */
#ifndef BAILEY_MCP_DESCRIBE_H
#define BAILEY_MCP_DESCRIBE_H

#include "bailey.h"
#include "base/buf.h"

typedef void describe(const struct bailey_abilities *abilities, struct buf *out);

describe describe_server;
describe describe_bash, describe_kill, describe_test; /* tools */
describe describe_timeout, describe_background;       /* arguments */

#endif
