import { port } from "./socket-directory.ts";

const everywhere = {
  // The server listens only on a socket in a private directory, so it needs no password.
  listen_addresses: "",
  port: String(port),
  unix_socket_permissions: "0700",
  cluster_name: "cloudwright",
  timezone: "UTC",
  log_timezone: "UTC",
  shared_buffers: "128MB",
  max_wal_size: "512MB",
  // JIT compilation of a query takes longer than running any of the product's statements.
  jit: "off",
  idle_in_transaction_session_timeout: "60s",
  // Rows may contain private data, so the log contains neither statements nor values.
  log_error_verbosity: "terse",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
  // Until a table is first analysed, the planner guesses its size. The default interval of one minute is too long while many entities are
  // being created.
  autovacuum_naptime: "10s",
};

/** Settings for data that must survive a machine crash. */
export const durableSettings: Readonly<Record<string, string>> = {
  ...everywhere,
  max_connections: "100",
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
};

/** Settings for temporary data, such as in tests. */
export const throwAwaySettings: Readonly<Record<string, string>> = {
  ...everywhere,
  max_connections: "200",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
};
