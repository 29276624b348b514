import { isatty } from "node:tty";
import { processEnvironment, readHome, systemClock } from "@cloudwright/platform";
import type { Sink, Source, World } from "./world.ts";

/** Creates the world of this process, with its terminal and environment. */
export function createProcessWorld(version: string): World {
  const interrupt = new AbortController();
  process.on("SIGINT", () => {
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort(new Error("interrupted"));
  });
  // The reader of a pipe may stop early, as `head` does. That is not an error.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  }
  return {
    environment: processEnvironment,
    home: readHome(processEnvironment),
    version,
    stdin: createSource(interrupt.signal),
    stdout: createSink(process.stdout, 1),
    stderr: createSink(process.stderr, 2),
    fetch: globalThis.fetch,
    clock: systemClock,
    signal: interrupt.signal,
    edit: runEditor,
    run: runProgram,
  };
}

function createSink(stream: NodeJS.WriteStream, fd: number): Sink {
  return { isTTY: isatty(fd), write: (text) => void stream.write(text) };
}

function createSource(signal: AbortSignal): Source {
  return {
    isTTY: isatty(0),
    async readAll() {
      process.stdin.setEncoding("utf8");
      let text = "";
      for await (const chunk of process.stdin) text += String(chunk);
      return text;
    },
    async readLine({ hidden }) {
      const { createInterface } = await import("node:readline/promises");
      const { Writable } = await import("node:stream");
      // With visible input, the terminal echoes and edits the line. With hidden input, readline does both, and its echo is discarded.
      const output = new Writable({ write: (_chunk, _encoding, done) => done() });
      const lines = createInterface({ input: process.stdin, output, terminal: hidden });
      // In raw mode, readline receives Ctrl-C as a character. Otherwise the terminal sends a signal.
      lines.on("SIGINT", () => process.emit("SIGINT"));
      const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
      try {
        return await Promise.race([lines.question("", { signal }), ended]);
      } finally {
        lines.close();
      }
    },
  };
}

async function runEditor(command: string, file: string): Promise<boolean> {
  const { spawn } = await import("node:child_process");
  // $EDITOR may contain arguments, such as "code --wait", so a shell splits it. The file name is a separate argument.
  const child = spawn("/bin/sh", ["-c", `${command} "$1"`, "edit", file], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code === 0));
  });
}

async function runProgram(program: string, args: readonly string[]): Promise<number | undefined> {
  const { spawn } = await import("node:child_process");
  const { constants } = await import("node:os");
  const child = spawn(program, args, { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? resolve(undefined) : reject(error)));
    // Shells use the same exit code for a program that was terminated by a signal.
    child.on("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}
