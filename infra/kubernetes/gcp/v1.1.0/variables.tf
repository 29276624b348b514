variable "project" {
  description = "Id of the Google Cloud project; null uses the project of the credentials."
  type        = string
  default     = null
  validation {
    condition     = var.project == null || can(regex("^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project))
    error_message = "The project must be an id such as my-project-1."
  }
}

variable "cluster_name" {
  description = "Name of the cluster. Resource names consist of it and a part of the owner's uid."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.cluster_name))
    error_message = "The name must start with a letter and consist of at most 63 lower-case letters, digits and hyphens."
  }
}

variable "region" {
  description = "Region of the cluster."
  type        = string
  validation {
    condition     = can(regex("^[a-z]+(-[a-z]+)+[0-9]+$", var.region))
    error_message = "The region must look like europe-west1."
  }
}

variable "zone" {
  description = "Zone of the control plane; null runs it in three zones of the region."
  type        = string
  default     = null
  validation {
    condition     = var.zone == null || can(regex("^${var.region}-[a-z]$", var.zone))
    error_message = "The zone must be in the cluster's region."
  }
}

variable "zones" {
  description = "Zones for workers."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = alltrue([for zone in var.zones : can(regex("^${var.region}-[a-z]$", zone))])
    error_message = "The zones must be in the cluster's region."
  }
  validation {
    condition     = length(var.zones) > 0 || var.zone != null
    error_message = "Workers require at least one zone."
  }
  validation {
    condition     = length(distinct(var.zones)) == length(var.zones)
    error_message = "Each zone must be listed once."
  }
}

variable "cluster_version" {
  description = "Kubernetes minor version; null selects the version that GKE prefers in the release channel."
  type        = string
  default     = null
  validation {
    condition     = var.cluster_version == null || can(regex("^1\\.[0-9]{2,3}$", var.cluster_version))
    error_message = "The Kubernetes version must look like 1.34."
  }
}

variable "current_version" {
  description = "Version that an earlier run requested, from the output choices. Used unless nodes are upgraded."
  type        = string
  default     = null
  validation {
    condition     = var.current_version == null || can(regex("^1\\.[0-9]{2,3}(\\.[0-9]+(-gke\\.[0-9.]+)?)?$", var.current_version))
    error_message = "The current version must look like 1.34.1-gke.1000000."
  }
}

variable "upgrades_nodes" {
  description = "Whether this run upgrades the control plane and all nodes to the newest patch of the requested minor version. Otherwise, nodes keep their version, which GKE may upgrade itself."
  type        = bool
  default     = false
  nullable    = false
}

variable "release_channel" {
  description = "Release channel: rapid, regular, stable, extended, or none for a fixed version."
  type        = string
  default     = "regular"
  nullable    = false
  validation {
    condition     = contains(["rapid", "regular", "stable", "extended", "none"], var.release_channel)
    error_message = "The release channel must be rapid, regular, stable, extended or none."
  }
}

variable "network_id" {
  description = "Id of the VPC network."
  type        = string
  validation {
    condition     = can(regex("^projects/[^/]+/global/networks/[a-z][-a-z0-9]{0,62}$", var.network_id))
    error_message = "The network must be an id such as projects/my-project/global/networks/main."
  }
}

variable "subnet_id" {
  description = "Id of the subnet for workers."
  type        = string
  validation {
    condition     = can(regex("^projects/[^/]+/regions/[^/]+/subnetworks/[a-z][-a-z0-9]{0,62}$", var.subnet_id))
    error_message = "The subnet must be an id such as projects/my-project/regions/europe-west1/subnetworks/main."
  }
}

variable "pod_range_name" {
  description = "Name of the subnet's secondary range for pods."
  type        = string
  default     = "pods"
  nullable    = false
  validation {
    condition     = can(regex("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", var.pod_range_name))
    error_message = "The range of pods must be the name of a secondary range."
  }
}

variable "service_range_name" {
  description = "Name of the subnet's secondary range for Services."
  type        = string
  default     = "services"
  nullable    = false
  validation {
    condition     = can(regex("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", var.service_range_name))
    error_message = "The range of Services must be the name of a secondary range."
  }
}

variable "public_access" {
  description = "Whether the API server has a public endpoint. The private endpoint is always on."
  type        = bool
  default     = true
  nullable    = false
  validation {
    condition     = var.public_access || length(var.public_access_cidrs) == 0
    error_message = "Address ranges require a public endpoint; leave them empty if the endpoint is private."
  }
}

variable "public_access_cidrs" {
  description = "Address ranges that may reach the public endpoint of the API server; empty allows all."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = alltrue([for range in var.public_access_cidrs : can(cidrhost(range, 0))])
    error_message = "Address ranges must look like 192.0.2.0/24."
  }
}

variable "dns_endpoint" {
  description = "Whether the DNS endpoint of the API server is reachable from outside the network."
  type        = bool
  default     = false
  nullable    = false
}

variable "control_plane_cidr" {
  description = "Address range of the control plane; null lets GKE choose addresses in the subnet."
  type        = string
  default     = null
  validation {
    condition     = var.control_plane_cidr == null || try(cidrhost(var.control_plane_cidr, 0) == split("/", var.control_plane_cidr)[0] && split("/", var.control_plane_cidr)[1] == "28" && can(cidrnetmask(var.control_plane_cidr)), false)
    error_message = "The range of the control plane must be an IPv4 range with the prefix 28 that starts at its first address."
  }
}

variable "create_kms_key" {
  description = "Whether to create a KMS key that encrypts the cluster's secrets."
  type        = bool
  default     = false
  nullable    = false
}

variable "kms_key" {
  description = "Name of the KMS key that encrypts the cluster's secrets; null uses GKE's own key, or the one that create_kms_key creates."
  type        = string
  default     = null
  validation {
    condition     = var.kms_key == null || can(regex("^projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+$", var.kms_key))
    error_message = "The key must be a name such as projects/my-project/locations/europe-west1/keyRings/ring/cryptoKeys/key."
  }
  validation {
    condition     = var.kms_key == null || !var.create_kms_key
    error_message = "A given key and create_kms_key exclude each other."
  }
}

variable "node_disk_kms_key" {
  description = "Name of the KMS key that encrypts the disks of nodes; null uses Google's own key."
  type        = string
  default     = null
  validation {
    condition     = var.node_disk_kms_key == null || can(regex("^projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+$", var.node_disk_kms_key))
    error_message = "The key must be a name such as projects/my-project/locations/europe-west1/keyRings/ring/cryptoKeys/key."
  }
}

variable "node_service_account" {
  description = "Email address of the nodes' service account; null creates one with the least roles."
  type        = string
  default     = null
  validation {
    condition     = var.node_service_account == null || can(regex("^([a-z][a-z0-9-]{4,28}[a-z0-9]@[a-z0-9.-]{1,63}\\.iam|[0-9]{1,20}-compute@developer|[a-z0-9.-]{1,63}@appspot)\\.gserviceaccount\\.com$", var.node_service_account))
    error_message = "The service account must be an email address such as gke-nodes@my-project.iam.gserviceaccount.com."
  }
}

variable "workload_identities" {
  description = "Email addresses of the Google service accounts that Kubernetes service accounts act as, by namespace/name."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    condition     = alltrue([for account in keys(var.workload_identities) : can(regex("^[a-z0-9][-a-z0-9]{0,62}/[a-z0-9][-.a-z0-9]{0,252}$", account))])
    error_message = "Service accounts must have the form namespace/name."
  }
  validation {
    condition     = alltrue([for email in values(var.workload_identities) : can(regex("^([a-z][a-z0-9-]{4,28}[a-z0-9]@[a-z0-9.-]{1,63}\\.iam|[0-9]{1,20}-compute@developer|[a-z0-9.-]{1,63}@appspot)\\.gserviceaccount\\.com$", email))])
    error_message = "Google service accounts must be email addresses such as website@my-project.iam.gserviceaccount.com."
  }
}

variable "security_group" {
  description = "Address of the Google group that contains the groups for Kubernetes roles; null uses no groups."
  type        = string
  default     = null
  validation {
    condition     = var.security_group == null || can(regex("^gke-security-groups@[a-z0-9.-]+$", var.security_group))
    error_message = "The group must be gke-security-groups@ followed by a domain."
  }
}

variable "log_types" {
  description = "Logs to send to Cloud Logging."
  type        = set(string)
  default     = ["system", "workloads"]
  nullable    = false
  validation {
    condition     = length(setsubtract(var.log_types, ["system", "workloads", "apiserver", "scheduler", "controllerManager"])) == 0
    error_message = "Logs must be system, workloads, apiserver, scheduler or controllerManager."
  }
  validation {
    condition     = length(var.log_types) == 0 || contains(var.log_types, "system")
    error_message = "All other logs require the logs system."
  }
}

variable "monitoring" {
  description = "Metrics to send to Cloud Monitoring."
  type        = set(string)
  default     = ["system"]
  nullable    = false
  validation {
    condition     = length(setsubtract(var.monitoring, ["system", "apiserver", "scheduler", "controllerManager", "storage", "pod", "deployment", "daemonset", "statefulset", "hpa", "cadvisor", "kubelet"])) == 0
    error_message = "Metrics must be system, apiserver, scheduler, controllerManager, storage, pod, deployment, daemonset, statefulset, hpa, cadvisor or kubelet."
  }
  validation {
    condition     = length(var.monitoring) == 0 || contains(var.monitoring, "system")
    error_message = "All other metrics require the metrics system."
  }
}

variable "managed_prometheus" {
  description = "Whether Managed Service for Prometheus collects the metrics of workloads."
  type        = bool
  default     = false
  nullable    = false
}

variable "gateway_api" {
  description = "Whether to install the Gateway API and its classes."
  type        = bool
  default     = true
  nullable    = false
}

variable "maintenance_window" {
  description = "Recurring time in UTC in which GKE may upgrade the cluster; null lets GKE choose. Without days, the window opens every day."
  type = object({
    days           = optional(list(string), [])
    start          = string
    duration_hours = optional(number, 4)
  })
  default = null
  validation {
    condition     = var.maintenance_window == null || can(regex("^([01][0-9]|2[0-3]):[0-5][0-9]$", var.maintenance_window.start))
    error_message = "The window must start at a time such as 03:00."
  }
  validation {
    condition     = var.maintenance_window == null || try(var.maintenance_window.duration_hours >= 4 && var.maintenance_window.duration_hours <= 24 && floor(var.maintenance_window.duration_hours) == var.maintenance_window.duration_hours, false)
    error_message = "The window must last 4 to 24 whole hours."
  }
  validation {
    condition     = var.maintenance_window == null || try(length(setsubtract(var.maintenance_window.days, ["MO", "TU", "WE", "TH", "FR", "SA", "SU"])) == 0, false)
    error_message = "Days must be MO, TU, WE, TH, FR, SA or SU."
  }
  validation {
    # GKE requires at least 48 hours of maintenance windows in any 32 days. A weekly window opens at least four times in that period.
    condition     = var.maintenance_window == null || try(length(var.maintenance_window.days) == 0 || length(var.maintenance_window.days) * 4 * var.maintenance_window.duration_hours >= 48, false)
    error_message = "GKE requires at least 48 hours of maintenance in 32 days. Add days, or make the window longer."
  }
}

variable "kept_defaults" {
  description = "Defaults that were chosen for this cluster when it was created. The output choices returns them, so that later runs can pass them back in."
  type = object({
    # Version of the configuration whose defaults apply. Null for clusters created with v1.0.0.
    since               = optional(string)
    public_access_cidrs = optional(list(string), [])
  })
  default  = {}
  nullable = false
  validation {
    condition     = var.kept_defaults.since == null || can(regex("^v[0-9]+\\.[0-9]+\\.[0-9]+$", var.kept_defaults.since))
    error_message = "The version of the defaults must look like v1.1.0."
  }
  validation {
    condition     = alltrue([for range in var.kept_defaults.public_access_cidrs : can(cidrhost(range, 0))])
    error_message = "Address ranges must look like 192.0.2.0/24."
  }
}

variable "built_pools" {
  description = "Pools that an earlier run built, from the output choices. The autoscaler controls their size."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    condition     = alltrue([for hash in values(var.built_pools) : can(regex("^[0-9a-f]{6}$", hash))])
    error_message = "Existing pools must be identified by the hash at the end of their names."
  }
}

variable "node_pools" {
  description = "Node pools by name. Sizes are totals over all zones of a pool."
  type = map(object({
    machine_type = string
    min          = number
    desired      = number
    max          = number
    # Whether GKE's autoscaler controls the number of nodes. If so, desired is only the initial number.
    autoscaling   = optional(bool, false)
    capacity      = optional(string, "on-demand")
    disk_size_gib = optional(number, 100)
    disk_type     = optional(string, "pd-balanced")
    image         = optional(string, "cos")
    zones         = optional(list(string), [])
    labels        = optional(map(string), {})
    taints = optional(list(object({
      key    = string
      value  = optional(string)
      effect = string
    })), [])
    accelerator       = optional(string)
    accelerator_count = optional(number, 0)
    # Number of nodes that an upgrade may add (max_surge) or make unavailable (max_unavailable) in each zone.
    max_surge       = optional(number, 1)
    max_unavailable = optional(number, 0)
    max_pods        = optional(number, 110)
    network_tags    = optional(list(string), [])
    secure_boot     = optional(bool, true)
    # Additional labels for the pool's machines and disks.
    resource_labels = optional(map(string), {})
  }))
  default  = {}
  nullable = false
  validation {
    condition     = alltrue([for name in keys(var.node_pools) : can(regex("^[a-z]([-a-z0-9]{0,28}[a-z0-9])?$", name))])
    error_message = "Pool names must start with a letter, must not end with a hyphen, and consist of at most 30 lower-case letters, digits and hyphens."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : pool.min >= 0 && pool.min <= pool.desired && pool.desired <= pool.max && pool.max >= 1])
    error_message = "Pool sizes must satisfy 0 <= min <= desired <= max, and max must be at least 1."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for number in [pool.min, pool.desired, pool.max, pool.disk_size_gib, pool.max_surge, pool.max_unavailable, pool.max_pods, pool.accelerator_count] : floor(number) == number]]))
    error_message = "Sizes and numbers of pools must be whole numbers."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : can(regex("^[a-z][a-z0-9]*-[a-z0-9-]+$", pool.machine_type))])
    error_message = "Machine types must look like e2-standard-2."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for zone in pool.zones : can(regex("^${var.region}-[a-z]$", zone))]]))
    error_message = "The zones of a pool must be in the cluster's region."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : contains(["on-demand", "spot"], pool.capacity)])
    error_message = "The capacity must be on-demand or spot."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : pool.disk_size_gib >= 10 && pool.disk_size_gib <= 65536])
    error_message = "The disk size must be between 10 and 65536 GiB."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : contains(["pd-balanced", "pd-standard", "pd-ssd", "hyperdisk-balanced"], pool.disk_type)])
    error_message = "The disk type must be pd-balanced, pd-standard, pd-ssd or hyperdisk-balanced."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : contains(["cos", "ubuntu"], pool.image)])
    error_message = "The image must be cos or ubuntu."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for taint in pool.taints : contains(["NoSchedule", "PreferNoSchedule", "NoExecute"], taint.effect)]]))
    error_message = "The effect of a taint must be NoSchedule, PreferNoSchedule or NoExecute."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for taint in pool.taints : length(taint.key) >= 1 && length(taint.key) <= 253 && length(coalesce(taint.value, "-")) <= 63]]))
    error_message = "Taint keys must have 1 to 253 characters, and taint values at most 63."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : pool.accelerator == null ? pool.accelerator_count == 0 : pool.accelerator_count >= 1 && pool.accelerator_count <= 16 && can(regex("^[a-z][a-z0-9-]*$", pool.accelerator))])
    error_message = "GPUs require a type such as nvidia-l4 and a number between 1 and 16."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : pool.max_surge >= 0 && pool.max_unavailable >= 0 && pool.max_surge + pool.max_unavailable >= 1 && pool.max_surge + pool.max_unavailable <= 20])
    error_message = "During upgrades, 1 to 20 nodes in each zone must be added or unavailable."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : pool.max_pods >= 8 && pool.max_pods <= 256])
    error_message = "The number of pods on a node must be between 8 and 256."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for tag in pool.network_tags : can(regex("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", tag))]]))
    error_message = "Network tags must consist of lower-case letters, digits and hyphens."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for key, value in pool.resource_labels : can(regex("^[a-z][a-z0-9_-]{0,62}$", key)) && !startswith(key, "cloudwright_") && can(regex("^[a-z0-9_-]{0,63}$", value))]]))
    error_message = "Labels of pools must consist of lower-case letters, digits, hyphens and underscores, and must not start with cloudwright_, which is reserved."
  }
}

variable "owner" {
  description = "Entity that owns the resources. Each resource carries it as labels or in its description, and is found by them."
  type = object({
    project = string
    entity  = string
  })
  validation {
    condition     = length(replace(var.owner.entity, "-", "")) >= 4
    error_message = "The owner's uid is too short for unique resource names."
  }
}

variable "labels" {
  description = "Additional labels for all resources that can have labels."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    # Google Cloud allows 64 labels per resource. The platform, GKE and the pools set some of them. Empty values are rejected,
    # because the provider would plan a change on every run.
    condition     = length(var.labels) <= 50 && alltrue([for key, value in var.labels : can(regex("^[a-z][a-z0-9_-]{0,62}$", key)) && can(regex("^[a-z0-9_-]{1,63}$", value))])
    error_message = "At most 50 labels are allowed. Keys start with a letter; keys and values have 1 to 63 lower-case letters, digits, hyphens and underscores."
  }
  validation {
    condition     = alltrue([for key in keys(var.labels) : !startswith(key, "cloudwright_") && !startswith(key, "goog-")])
    error_message = "Label keys must not start with cloudwright_ or goog-, which are reserved."
  }
}
