#pragma once
namespace kpb { struct DenseLoops {}; }
