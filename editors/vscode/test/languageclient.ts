// A client that runs the command that it is given, and asks it in LSP's own
// framing: what the real one does, without VS Code around it.
import { type ChildProcess, spawn } from "node:child_process";

interface Message {
  id: number;
  method?: string;
  result?: unknown;
  error?: { message: string };
}

export class LanguageClient {
  private process?: ChildProcess;
  private next = 1;
  private readonly waiting = new Map<number, { resolve: (x: never) => void; reject: (e: Error) => void }>();
  private buffer = Buffer.alloc(0);

  constructor(_id: string, _name: string, private readonly server: { command: string; args: string[] }) {}

  async start(): Promise<void> {
    this.process = spawn(this.server.command, this.server.args, { stdio: ["pipe", "pipe", "inherit"] });
    this.process.stdout!.on("data", (data: Buffer) => this.receive(data));
    await this.sendRequest("initialize", { capabilities: {} });
    this.notify("initialized", {});
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.process!.once("exit", resolve));
    await this.sendRequest("shutdown");
    this.notify("exit", {});
    await ended;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  sendRequest<T>(method: string, params?: unknown): Promise<T> {
    const id = this.next++;
    this.send({ id, method, params });
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  notify(method: string, params: unknown): void {
    this.send({ method, params });
  }

  private send(message: object): void {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.process!.stdin!.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  private receive(data: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (;;) {
      const head = this.buffer.indexOf("\r\n\r\n");
      const size = Number(/Content-Length: (\d+)/.exec(this.buffer.subarray(0, Math.max(head, 0)).toString())?.[1]);
      if (head < 0 || this.buffer.length < head + 4 + size) {
        return;
      }
      const message = JSON.parse(this.buffer.subarray(head + 4, head + 4 + size).toString()) as Message;
      this.buffer = this.buffer.subarray(head + 4 + size);
      const waiting = this.waiting.get(message.id);
      if (waiting && message.method === undefined) {
        this.waiting.delete(message.id);
        if (message.error) {
          waiting.reject(new Error(message.error.message));
        } else {
          waiting.resolve(message.result as never);
        }
      }
    }
  }
}
