/**
 * SSH client for the day-two work on machines: it runs commands, uploads small files and reads host keys. It accepts only pinned host keys
 * and logs in only with keys. It must not know the product's entities, where keys are stored, or which commands its callers need.
 */
export { connect, type SshConnection, type SshTarget } from "./connect.ts";
export { sshFaults } from "./faults.ts";
export { quoteArgv } from "./quote-argv.ts";
export { runCommand, type CommandOptions, type CommandResult } from "./run-command.ts";
export { scanHostKeys } from "./scan-host-keys.ts";
export { uploadFile, type Upload } from "./upload-file.ts";
