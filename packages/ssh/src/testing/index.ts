/** Test support: an SSH server in the test's process that can misbehave, and OpenSSH's server where it is installed. */
export { startOpenSsh, sshd, type OpenSsh } from "./start-open-ssh.ts";
export { startSshServer, type SshServer, type SshServerOptions } from "./start-ssh-server.ts";
