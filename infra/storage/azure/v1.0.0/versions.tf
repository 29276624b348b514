terraform {
  required_version = ">= 1.9"
  required_providers {
    azurerm = {
      source  = "hashicorp/azurerm"
      version = "= 5.2.0"
    }
  }
}

provider "azurerm" {
  # Registering resource providers requires permissions on the whole subscription, so Terraform does not do it. Preflight checks report
  # missing registrations.
  resource_provider_registrations = "none"

  # Terraform uses only the management API, so runs need neither network access to the storage account nor permissions on its objects.
  storage_use_azuread = true
  features {
    storage {
      data_plane_available = false
    }
  }
}
