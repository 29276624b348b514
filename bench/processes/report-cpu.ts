/**
 * Loaded before a server's own main: answers its parent with the CPU time the process has used, so that the product is measured
 * unchanged and without what its clients and the database cost.
 */
process.on("message", (message) => {
  if (message !== "cpu") return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system });
});
// Without its parent nobody is left to end it.
process.on("disconnect", () => process.exit(0));
