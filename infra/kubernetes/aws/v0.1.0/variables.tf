variable "name" {
  description = "Name of the cluster. Resource names consist of it and a part of the owner's uid."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.name))
    error_message = "The name must start with a letter and consist of at most 63 lower-case letters, digits and hyphens."
  }
}

variable "region" {
  description = "Region of the cluster."
  type        = string
  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+$", var.region))
    error_message = "The region must look like eu-west-1."
  }
}

variable "kubernetes_version" {
  description = "Kubernetes minor version; null selects the latest version that EKS offers."
  type        = string
  default     = null
  validation {
    condition     = var.kubernetes_version == null || can(regex("^1\\.[0-9]{2,3}$", var.kubernetes_version))
    error_message = "The Kubernetes version must look like 1.34."
  }
}

variable "subnets" {
  description = "Ids of the subnets for the control plane's network interfaces, in at least two zones, and for the workers."
  type = object({
    control_plane = list(string)
    workers       = list(string)
  })
  validation {
    condition     = length(distinct(var.subnets.control_plane)) >= 2
    error_message = "The control plane requires subnets in at least two zones."
  }
  validation {
    condition     = length(var.subnets.workers) > 0
    error_message = "Workers require at least one subnet."
  }
}

variable "endpoint" {
  description = "Access to the public endpoint of the API server."
  type = object({
    public       = bool
    public_cidrs = optional(list(string), ["0.0.0.0/0"])
  })
  default = { public = true }
  validation {
    condition     = alltrue([for range in var.endpoint.public_cidrs : can(cidrhost(range, 0))])
    error_message = "Address ranges must look like 192.0.2.0/24."
  }
}

variable "service_cidr" {
  description = "Address range of Kubernetes services; null lets EKS choose."
  type        = string
  default     = null
  validation {
    condition     = var.service_cidr == null || can(cidrnetmask(var.service_cidr))
    error_message = "The service range must be an IPv4 range such as 172.20.0.0/16."
  }
}

variable "log_types" {
  description = "Control plane logs to send to CloudWatch."
  type        = set(string)
  default     = []
  validation {
    condition     = length(setsubtract(var.log_types, ["api", "audit", "authenticator", "controllerManager", "scheduler"])) == 0
    error_message = "Control plane logs must be api, audit, authenticator, controllerManager or scheduler."
  }
}

variable "roles" {
  description = "ARNs of existing roles to use instead of creating them."
  type = object({
    cluster = optional(string)
    nodes   = optional(string)
  })
  default = {}
  validation {
    condition     = alltrue([for arn in values(var.roles) : arn == null || can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$", arn))])
    error_message = "Roles must be ARNs."
  }
}

variable "admins" {
  description = "ARNs of roles and users that are cluster administrators, in addition to the creator."
  type        = set(string)
  default     = []
  validation {
    condition     = alltrue([for arn in var.admins : can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:(role|user)/.+$", arn))])
    error_message = "Roles and users must be ARNs."
  }
}

variable "node_pools" {
  description = "Node pools by name."
  type = map(object({
    instance_type = string
    min           = number
    desired       = number
    max           = number
    capacity      = optional(string, "on-demand")
    disk_size_gib = optional(number, 20)
    zones         = optional(list(string), [])
    labels        = optional(map(string), {})
    taints = optional(list(object({
      key    = string
      value  = optional(string)
      effect = string
    })), [])
  }))
  default = {}
  validation {
    condition     = alltrue([for name in keys(var.node_pools) : can(regex("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", name))])
    error_message = "Pool names must start with a letter, must not end with a hyphen, and consist of at most 63 lower-case letters, digits and hyphens."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : pool.min >= 0 && pool.min <= pool.desired && pool.desired <= pool.max && pool.max >= 1])
    error_message = "Pool sizes must satisfy 0 <= min <= desired <= max, and max must be at least 1."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : contains(["on-demand", "spot"], pool.capacity)])
    error_message = "The capacity must be on-demand or spot."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for taint in pool.taints : contains(["NoSchedule", "PreferNoSchedule", "NoExecute"], taint.effect)]]))
    error_message = "The effect of a taint must be NoSchedule, PreferNoSchedule or NoExecute."
  }
}

variable "owner" {
  description = "Entity that owns the resources. Each resource carries it as tags and is found by them."
  type = object({
    project = string
    entity  = string
  })
  validation {
    condition     = length(replace(var.owner.entity, "-", "")) >= 4
    error_message = "The owner's uid is too short for unique resource names."
  }
}

variable "tags" {
  description = "Additional tags for all resources."
  type        = map(string)
  default     = {}
  validation {
    condition     = alltrue([for key in keys(var.tags) : !startswith(key, "cloudwright:") && !startswith(key, "aws:")])
    error_message = "Tag keys must not start with cloudwright: or aws:, which are reserved."
  }
}
