// Stands in for plan/row_request.h, where the request lives now.
#pragma once
#include "plan/row_request.h"
