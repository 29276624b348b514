export const helpText = `cloudwright-agent [run|join|deployer|fetch-terraform] [--demo] [--help]

  run               join if necessary, then lease and run tasks (default)
  join              join with the one-time token and exit
  deployer          serve handlers to agents over gRPC
  fetch-terraform   download and verify Terraform, unless it is on PATH

  --demo            use demonstration handlers for all task types; they create nothing

Settings (environment variables, with their defaults in parentheses):
  CLOUDWRIGHT_SERVER                 URL of the control plane (http://127.0.0.1:8480)
  CLOUDWRIGHT_AGENT_NAME             name of the agent (agent-<machine>)
  CLOUDWRIGHT_AGENT_DIR              directory for the agent's identity and working files (<home>/agent)
  CLOUDWRIGHT_JOIN_TOKEN_FILE        file that contains the one-time token, instead of CLOUDWRIGHT_JOIN_TOKEN
  CLOUDWRIGHT_AGENT_LABELS           clouds, accounts and regions that the agent serves (cloud=*;account=*;region=*)
  CLOUDWRIGHT_AGENT_SLOTS            number of concurrent tasks (long=4,short=8)
  CLOUDWRIGHT_AGENT_RUN_MEMORY       memory of Terraform and of each of its providers: 512MiB, 4GiB or off (4GiB)
  CLOUDWRIGHT_AGENT_STOP_SECONDS     seconds that tasks may continue after SIGTERM (20)
  CLOUDWRIGHT_AGENT_CANCEL_SECONDS   seconds between SIGINT and SIGKILL when a program is cancelled (60)
  CLOUDWRIGHT_AGENT_PLUGINS          plug-in modules, comma-separated, such as /srv/plugins/local.mjs
  CLOUDWRIGHT_AGENT_ADDONS           folder with additional add-ons, one YAML file each
  CLOUDWRIGHT_AGENT_CHARTS           folder with packaged charts, named name-version.tgz
  CLOUDWRIGHT_AGENT_HOSTS            make this machine a host: agent label of its account, such as rack-1 (off)
  CLOUDWRIGHT_AGENT_HOST_IMAGES      images of the host, such as debian-12=/srv/debian-12.tar, comma-separated
  CLOUDWRIGHT_AGENT_HOST_IMAGE_FOLDERS  folders from which users may import images, comma-separated (images in the agent's folder)
  CLOUDWRIGHT_AGENT_HOST_SHARED      1: the host accepts instances of several projects, which are not isolated from each other
  CLOUDWRIGHT_AGENT_SIMULATOR        where simulated clouds are stored: server (shared by all agents) or files (only this agent) (server)
  CLOUDWRIGHT_DEPLOYERS              remote deployers by task prefix, such as network=http://127.0.0.1:8481
  CLOUDWRIGHT_DEPLOYER_TOKEN_FILE    file that contains the secret shared with deployers, instead of CLOUDWRIGHT_DEPLOYER_TOKEN
  CLOUDWRIGHT_DEPLOYER_LISTEN        address that the deployer listens on (127.0.0.1:8481)
  CLOUDWRIGHT_DEMO_HANDLERS          1: same as --demo
  CLOUDWRIGHT_DEMO_JOURNAL           file in which demonstration programs record their start and end
  CLOUDWRIGHT_LOG_LEVEL              trace, debug, info, warn, error or silent (info)
`;
