import manifest from "../package.json" with { type: "json" };

// Handles `--version` before loading any other module, because scripts call it often.
if (process.argv.length === 3 && ["--version", "-V"].includes(process.argv[2] as string)) {
  process.stdout.write(`${manifest.version}\n`);
} else {
  const [{ createProcessWorld }, { runCli }] = await Promise.all([import("./process-world.ts"), import("./run.ts")]);
  process.exitCode = await runCli(process.argv.slice(2), createProcessWorld(manifest.version));
  // Exits explicitly after flushing the output, because a prompt or a broken stream can keep the process alive.
  process.stdout.write("", () => process.exit());
}
