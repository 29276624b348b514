/**
 * Loaded before a server's own main: answers its parent with the CPU time the process has used and the memory it holds, so that the product is measured
 * unchanged and without what its clients and the database cost.
 */
process.on("message", (message) => {
  if (message !== "use") return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system, memoryBytes: process.memoryUsage.rss() });
});
// Without its parent nobody is left to end it.
process.on("disconnect", () => process.exit(0));
