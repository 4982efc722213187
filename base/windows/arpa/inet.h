#ifndef BAILEY_BASE_WINDOWS_INET_H
#define BAILEY_BASE_WINDOWS_INET_H

#include <winsock2.h>
#include <ws2tcpip.h>

#endif
