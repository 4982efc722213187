"""The APIs of models, as far as an agent notices: each answer calls a tool, as the next one of a list of steps says, and the
last one ends the turn.

Speaks Anthropic's Messages, OpenAI's Responses and Chat Completions, and Gemini's GenerateContent, on loopback.
"""

import http.server
import json
import re
import threading
import time

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

    def step(self, results):
        """Which step is next, after these results: (tool, arguments, what the result has to have, or it is called again)."""
        steps, at = self.server.steps, 0
        for result in results:
            if at < len(steps) and re.search(steps[at][2], json.dumps(result)):
                at += 1
        return steps[at] if at < len(steps) else None

    def tool(self, step, results, tools, own, key="command"):
        """Which tool is called, and with what: the agent's own shell, or one of a server that it has been given."""
        tool, arguments, _ = step
        if not self.server.mcp:
            return own, {**arguments, "description": "a try"} if key == "command" else {key: arguments["command"]}
        shells = re.findall(r'shell_id[\\\\": ]+([0-9a-f-]{36})', json.dumps(results))
        if shells and tool != "Bash":
            arguments = {**arguments, "shell_id": shells[0]}
        found = re.search(r'"(mcp_+%s_+%s)"' % (self.server.mcp, tool), json.dumps(tools))
        if not found:
            time.sleep(0.2)  # the agent may not have it yet: asked for again by a step that needs more than any result
        return found[1] if found else "no such tool", arguments

    def messages(self, body):
        results = [part for message in body["messages"] if isinstance(message["content"], list)
                   for part in message["content"] if part.get("type") == "tool_result"]
        step = self.step(results)
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model"), "content": [],
                   "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        if any(tool.get("name") == "Bash" for tool in body.get("tools", [])) and step:
            name, arguments = self.tool(step, results, body["tools"], "Bash")
            block = {"type": "tool_use", "id": "toolu_%d" % len(results), "name": name, "input": {}}
            delta, part, stop = "input_json_delta", {"partial_json": json.dumps(arguments)}, "tool_use"
        else:
            block, delta, part, stop = {"type": "text", "text": ""}, "text_delta", {"text": "done"}, "end_turn"
        self.events([{"type": "message_start", "message": message},
                     {"type": "content_block_start", "index": 0, "content_block": block},
                     {"type": "content_block_delta", "index": 0, "delta": {"type": delta, **part}},
                     {"type": "content_block_stop", "index": 0},
                     {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": USED},
                     {"type": "message_stop"}], True)

    def openai(self, body):
        results = [item for item in body.get("input", []) if item.get("type") == "function_call_output"]
        step = self.step(results)
        if step:
            name, arguments = self.tool(step, results, body.get("tools", []), "exec_command", "cmd")
            item = {"type": "function_call", "id": "fc_%d" % len(results), "call_id": "call_%d" % len(results), "name": name,
                    "arguments": json.dumps(arguments)}
            for tool in body.get("tools", []):
                # Codex has a server's tools in a space of their own.
                if self.server.mcp and tool.get("name") == "mcp__" + self.server.mcp:
                    item.update(namespace=tool["name"], name=step[0])
        else:
            item = {"type": "message", "id": "m_1", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
        response = {"id": "r_1", "output": [item], "usage": USED}
        self.events([{"type": "response.created", "response": {"id": "r_1"}},
                     {"type": "response.output_item.done", "output_index": 0, "item": item},
                     {"type": "response.completed", "response": response}], True)

    def generate(self, body):
        parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
        results = [part for part in parts if "functionResponse" in part]
        step = self.step(results)
        if step:
            name, arguments = self.tool(step, results, body.get("tools", []), "run_shell_command")
            part = {"functionCall": {"name": name, "args": arguments}}
        else:
            part = {"text": "done"}
        content = {"role": "model", "parts": [part]}
        candidates = [{"content": content, "finishReason": "STOP", "index": 0}]
        self.events([{"candidates": candidates, "usageMetadata": {"totalTokenCount": 2}}], False)

    def chat(self, body):
        asked = any(message.get("role") == "tool" for message in body.get("messages", []))
        arguments = {**self.server.steps[0][1], "description": "a try"}
        function = {"name": "bash", "arguments": json.dumps(arguments)}
        delta = {"role": "assistant", "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}
        chunk = {"id": "c_1", "object": "chat.completion.chunk", "created": 1, "model": body.get("model")}
        first, stop = ({"role": "assistant", "content": "done"}, "stop") if asked else (delta, "tool_calls")
        self.events([{**chunk, "choices": [{"index": 0, "delta": first, "finish_reason": None}]},
                     {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}]}], False)

    APIS = {"/messages": messages, "/responses": openai, ":streamGenerateContent": generate, "/chat/completions": chat}


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """An agent that has ended does not read its last answer."""


class Models:
    """with Models(steps) as models: models.port, and afterwards what agents sent in models.requests.

    `steps` is a command, or a list of (tool, arguments[, what its result has to have: else it is called again]). Of a shell
    that a step has started, the others know the id. `mcp` is the name of a server whose tools are called instead of the
    agent's own."""

    def __init__(self, steps, mcp=None):
        if isinstance(steps, str):
            steps = [("Bash", {"command": steps})]
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.steps, self.server.mcp, self.server.requests = [(*step, "")[:3] for step in steps], mcp, []
        self.port, self.requests = self.server.server_address[1], self.server.requests

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
