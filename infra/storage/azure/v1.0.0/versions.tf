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
  # Registering resource providers requires rights on the whole subscription. Preflight checks name the missing registrations.
  resource_provider_registrations = "none"

  # Terraform uses only the management API, so runs need no network access and no rights to objects.
  storage_use_azuread = true
  features {
    storage {
      data_plane_available = false
    }
  }
}
