import manifest from "../package.json" with { type: "json" };

// Answered before anything else is loaded: scripts ask for it, and the start-up benchmark measures it.
if (process.argv.length === 3 && ["--version", "-V"].includes(process.argv[2] as string)) {
  process.stdout.write(`${manifest.version}\n`);
} else {
  const [{ createProcessWorld }, { runCli }] = await Promise.all([import("./process-world.ts"), import("./run.ts")]);
  process.exitCode = await runCli(process.argv.slice(2), createProcessWorld(manifest.version));
  // A prompt or a broken stream can leave handles behind; what was written is flushed before leaving.
  process.stdout.write("", () => process.exit());
}
