"""The APIs of models, as far as an agent notices: the first answer calls a tool with a command, the next one ends the turn.

Speaks Anthropic's Messages, OpenAI's Responses and Chat Completions, and Gemini's GenerateContent, on loopback.
"""

import http.server
import json
import re
import threading

USED = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, text, kind="application/json"):
        data = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def events(self, events, named):
        name = "event: %s\n" if named else "%.0s"
        self.reply("".join(name % e.get("type") + "data: %s\n\n" % json.dumps(e) for e in events), "text/event-stream")

    def do_GET(self):
        self.reply(json.dumps({"object": "list", "data": [], "models": []}))

    def body(self):
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        data = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def do_POST(self):
        path, body = self.path.split("?")[0], json.loads(self.body() or b"{}")
        self.server.requests.append(body)
        for end, answer in self.APIS.items():
            if path.endswith(end):
                return answer(self, body)
        return self.reply("{}")

    def tool(self, body, own, key="command"):
        """Which tool is called, and with what: the agent's own shell, or that of a server that it has been given."""
        if not self.server.mcp:
            return own, {key: self.server.command, "description": "a try"} if key == "command" else {key: self.server.command}
        found = re.search(r'"(mcp_+%s_+Bash)"' % self.server.mcp, json.dumps(body.get("tools", [])))
        return found[1] if found else "no such tool", {"command": self.server.command, "description": "a try"}

    def messages(self, body):
        asked = any(part.get("type") == "tool_result" for message in body["messages"] if isinstance(message["content"], list)
                    for part in message["content"])
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model"), "content": [],
                   "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        if any(tool.get("name") == "Bash" for tool in body.get("tools", [])) and not asked:
            name, arguments = self.tool(body, "Bash")
            block, delta = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}, "input_json_delta"
            part, stop = {"partial_json": json.dumps(arguments)}, "tool_use"
        else:
            block, delta, part, stop = {"type": "text", "text": ""}, "text_delta", {"text": "done"}, "end_turn"
        self.events([{"type": "message_start", "message": message},
                     {"type": "content_block_start", "index": 0, "content_block": block},
                     {"type": "content_block_delta", "index": 0, "delta": {"type": delta, **part}},
                     {"type": "content_block_stop", "index": 0},
                     {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": USED},
                     {"type": "message_stop"}], True)

    def openai(self, body):
        asked = any(item.get("type") == "function_call_output" for item in body.get("input", []))
        name, arguments = self.tool(body, "exec_command", "cmd")
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "arguments": json.dumps(arguments)}
        for tool in body.get("tools", []):
            if self.server.mcp and tool.get("name") == "mcp__" + self.server.mcp:  # Codex has its tools in a space of their own
                item.update(namespace=tool["name"], name="Bash")
        if asked:
            item = {"type": "message", "id": "m_1", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
        response = {"id": "r_1", "output": [item], "usage": USED}
        self.events([{"type": "response.created", "response": {"id": "r_1"}},
                     {"type": "response.output_item.done", "output_index": 0, "item": item},
                     {"type": "response.completed", "response": response}], True)

    def generate(self, body):
        asked = any("functionResponse" in part for content in body.get("contents", []) for part in content.get("parts", []))
        name, arguments = self.tool(body, "run_shell_command")
        part = {"functionCall": {"name": name, "args": arguments}}
        content = {"role": "model", "parts": [{"text": "done"} if asked else part]}
        candidates = [{"content": content, "finishReason": "STOP", "index": 0}]
        self.events([{"candidates": candidates, "usageMetadata": {"totalTokenCount": 2}}], False)

    def chat(self, body):
        asked = any(message.get("role") == "tool" for message in body.get("messages", []))
        function = {"name": "bash", "arguments": json.dumps({"command": self.server.command, "description": "a try"})}
        delta = {"role": "assistant", "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}
        chunk = {"id": "c_1", "object": "chat.completion.chunk", "created": 1, "model": body.get("model")}
        first, stop = ({"role": "assistant", "content": "done"}, "stop") if asked else (delta, "tool_calls")
        self.events([{**chunk, "choices": [{"index": 0, "delta": first, "finish_reason": None}]},
                     {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}]}], False)

    APIS = {"/messages": messages, "/responses": openai, ":streamGenerateContent": generate, "/chat/completions": chat}


class Models:
    """with Models(command) as models: models.port, and afterwards what agents sent in models.requests.

    `mcp` is the name of a server whose shell is called instead of the agent's own."""

    def __init__(self, command, mcp=None):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.command, self.server.mcp, self.server.requests = command, mcp, []
        self.port, self.requests = self.server.server_address[1], self.server.requests

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
