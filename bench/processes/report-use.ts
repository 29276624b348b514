/**
 * Preloaded into a measured server. On request, it reports the server's own CPU time and memory usage to the parent process. The server
 * code stays unchanged.
 */
process.on("message", (message) => {
  if (message !== "use") return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system, memoryBytes: process.memoryUsage.rss() });
});
// If the parent dies, nothing else would stop the server.
process.on("disconnect", () => process.exit(0));
