variable "name" {
  description = "Name of the storage; a bucket carries it, followed by a part of the owner's uid."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.name))
    error_message = "The name has lower-case letters, digits and hyphens, at most 63."
  }
}

variable "region" {
  description = "Region of the storage."
  type        = string
  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+$", var.region))
    error_message = "The region is written as eu-west-1."
  }
}

variable "bucket" {
  description = "A bucket for objects."
  type = object({
    versioning        = optional(bool, false)
    expire_after_days = optional(number, 0)
    force_destroy     = optional(bool, false)
  })
  default = null
  validation {
    condition     = var.bucket == null || try(var.bucket.expire_after_days >= 0 && floor(var.bucket.expire_after_days) == var.bucket.expire_after_days, false)
    error_message = "Objects expire after a whole number of days; 0 keeps them."
  }
}

variable "volume" {
  description = "A volume of blocks in one zone."
  type = object({
    zone     = string
    size_gib = number
    type     = optional(string, "gp3")
  })
  default = null
  validation {
    condition     = var.volume == null || try(var.volume.size_gib >= 1, false)
    error_message = "A volume has at least one GiB."
  }
  validation {
    condition     = (var.volume == null) != (var.bucket == null)
    error_message = "A storage is either a bucket or a volume."
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
