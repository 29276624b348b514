variable "name" {
  description = "Name of the cluster; what is made carries it, followed by a part of the owner's uid."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.name))
    error_message = "The name has lower-case letters, digits and hyphens, at most 63."
  }
}

variable "region" {
  description = "Region of the cluster."
  type        = string
  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+$", var.region))
    error_message = "The region is written as eu-west-1."
  }
}

variable "kubernetes_version" {
  description = "Minor version of Kubernetes; the newest that EKS offers when null."
  type        = string
  default     = null
  validation {
    condition     = var.kubernetes_version == null || can(regex("^1\\.[0-9]{2,3}$", var.kubernetes_version))
    error_message = "The version is written as 1.34."
  }
}

variable "subnets" {
  description = "Subnets of the control plane's interfaces, in at least two zones, and of the workers."
  type = object({
    control_plane = list(string)
    workers       = list(string)
  })
  validation {
    condition     = length(distinct(var.subnets.control_plane)) >= 2
    error_message = "A control plane needs subnets in two zones."
  }
  validation {
    condition     = length(var.subnets.workers) > 0
    error_message = "Workers need a subnet."
  }
}

variable "endpoint" {
  description = "Who can reach the API server from outside the network."
  type = object({
    public       = bool
    public_cidrs = optional(list(string), ["0.0.0.0/0"])
  })
  default = { public = true }
  validation {
    condition     = alltrue([for range in var.endpoint.public_cidrs : can(cidrhost(range, 0))])
    error_message = "The ranges are written as 192.0.2.0/24."
  }
}

variable "service_cidr" {
  description = "Address range of services; chosen by EKS when null."
  type        = string
  default     = null
  validation {
    condition     = var.service_cidr == null || can(cidrnetmask(var.service_cidr))
    error_message = "The range is IPv4, written as 172.20.0.0/16."
  }
}

variable "log_types" {
  description = "Logs of the control plane that are kept."
  type        = set(string)
  default     = []
  validation {
    condition     = length(setsubtract(var.log_types, ["api", "audit", "authenticator", "controllerManager", "scheduler"])) == 0
    error_message = "Logs are api, audit, authenticator, controllerManager or scheduler."
  }
}

variable "roles" {
  description = "Roles to use instead of making them."
  type = object({
    cluster = optional(string)
    nodes   = optional(string)
  })
  default = {}
  validation {
    condition     = alltrue([for arn in values(var.roles) : arn == null || can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$", arn))])
    error_message = "Roles are given by their ARNs."
  }
}

variable "admins" {
  description = "Roles and users, by ARN, that may do everything in the cluster, beside whoever creates it."
  type        = set(string)
  default     = []
  validation {
    condition     = alltrue([for arn in var.admins : can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:(role|user)/.+$", arn))])
    error_message = "Roles and users are given by their ARNs."
  }
}

variable "node_pools" {
  description = "All node pools by name."
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
    error_message = "Names of pools have lower-case letters, digits and hyphens, at most 63."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : pool.min >= 0 && pool.min <= pool.desired && pool.desired <= pool.max && pool.max >= 1])
    error_message = "The sizes of a pool satisfy 0 <= min <= desired <= max, and max is at least 1."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : contains(["on-demand", "spot"], pool.capacity)])
    error_message = "Capacity is on-demand or spot."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for taint in pool.taints : contains(["NoSchedule", "PreferNoSchedule", "NoExecute"], taint.effect)]]))
    error_message = "Effects of taints are NoSchedule, PreferNoSchedule or NoExecute."
  }
}

variable "owner" {
  description = "Whom this belongs to: everything is tagged with it, and found by it."
  type = object({
    project = string
    entity  = string
  })
  validation {
    condition     = length(replace(var.owner.entity, "-", "")) >= 4
    error_message = "The owner's uid is too short to make names unique."
  }
}

variable "tags" {
  description = "Tags of the user's own."
  type        = map(string)
  default     = {}
  validation {
    condition     = alltrue([for key in keys(var.tags) : !startswith(key, "cloudwright:") && !startswith(key, "aws:")])
    error_message = "Tags that begin with cloudwright: or aws: are not the user's own."
  }
}
