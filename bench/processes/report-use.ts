/**
 * Preloaded into a measured server. It reports the CPU time and memory of this process to the parent process on request. The server itself stays
 * unchanged, and clients and the database are not included.
 */
process.on("message", (message) => {
  if (message !== "use") return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system, memoryBytes: process.memoryUsage.rss() });
});
// No other process would stop the server.
process.on("disconnect", () => process.exit(0));
