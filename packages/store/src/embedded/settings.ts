import { port } from "./socket-directory.ts";

const everywhere = {
  // The server is reachable through the socket only, and its directory is private: no port, no password.
  listen_addresses: "",
  port: String(port),
  unix_socket_permissions: "0700",
  cluster_name: "cloudwright",
  timezone: "UTC",
  log_timezone: "UTC",
  shared_buffers: "128MB",
  max_wal_size: "512MB",
  // Compiling a plan costs more than any of our statements.
  jit: "off",
  idle_in_transaction_session_timeout: "60s",
  // Rows may contain private data, so neither statements nor values in message details are logged.
  log_error_verbosity: "terse",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
  // Plans are guesses until tables are first analysed. A minute of many creates is too long for that.
  autovacuum_naptime: "10s",
};

/** Settings for data that must survive a crash of the machine. */
export const durableSettings: Readonly<Record<string, string>> = {
  ...everywhere,
  max_connections: "100",
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
};

/** Settings for data that may be lost. */
export const throwAwaySettings: Readonly<Record<string, string>> = {
  ...everywhere,
  max_connections: "200",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
};
