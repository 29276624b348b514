import { processEnvironment, readHome, systemClock } from "@cloudwright/platform";
import type { Sink, Source, World } from "./world.ts";

/** Thrown into whatever is being waited for when Ctrl-C is pressed. */
export class Interrupted extends Error {}

/** The real world: this process, its terminal, its environment. */
export function createProcessWorld(version: string): World {
  const interrupt = new AbortController();
  process.on("SIGINT", () => {
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort(new Interrupted("interrupted"));
  });
  // A reader that has seen enough (`| head`) is no error.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  }
  return {
    environment: processEnvironment,
    home: readHome(processEnvironment),
    version,
    stdin: createSource(interrupt.signal),
    stdout: createSink(process.stdout),
    stderr: createSink(process.stderr),
    fetch: globalThis.fetch,
    clock: systemClock,
    signal: interrupt.signal,
    edit: runEditor,
  };
}

function createSink(stream: NodeJS.WriteStream): Sink {
  return { isTTY: stream.isTTY === true, write: (text) => void stream.write(text) };
}

function createSource(signal: AbortSignal): Source {
  return {
    isTTY: process.stdin.isTTY === true,
    async readAll() {
      process.stdin.setEncoding("utf8");
      let text = "";
      for await (const chunk of process.stdin) text += String(chunk);
      return text;
    },
    async readLine({ hidden }) {
      const { createInterface } = await import("node:readline/promises");
      const { Writable } = await import("node:stream");
      // readline echoes by writing to its output; an output that drops everything is a terminal without echo.
      const output = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
      const lines = createInterface({ input: process.stdin, output, terminal: true });
      const interrupted = new AbortController();
      lines.on("SIGINT", () => {
        interrupted.abort();
        process.emit("SIGINT");
      });
      try {
        return await lines.question("", { signal: AbortSignal.any([signal, interrupted.signal]) });
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        lines.close();
      }
    },
  };
}

async function runEditor(command: string, file: string): Promise<boolean> {
  const { spawn } = await import("node:child_process");
  // EDITOR may hold arguments ("code --wait"), so that a shell has to split it; the file is passed beside it, never inside.
  const child = spawn("/bin/sh", ["-c", `${command} "$1"`, "edit", file], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code === 0));
  });
}
