# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Simulations: rigid bodies (Featherstone 1987), fluids, differential equations (Dormand 1980, Shampine 1997, Chen 2018)."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from models import Weights, model

# --- rigid bodies


def cross_matrix(v):
    zero = jnp.zeros_like(v[0])
    return jnp.array([[zero, -v[2], v[1]], [v[2], zero, -v[0]], [-v[1], v[0], zero]])


def motion_cross(v):
    angular, linear = cross_matrix(v[:3]), cross_matrix(v[3:])
    return jnp.block([[angular, jnp.zeros((3, 3))], [linear, angular]])


def joint_transform(angle, fixed, offset):
    """From the frame of a link's parent to that of the link, which turns about its z axis."""
    c, s = jnp.cos(angle), jnp.sin(angle)
    turn = jnp.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ fixed
    return jnp.block([[turn, jnp.zeros((3, 3))], [-turn @ cross_matrix(offset), turn]])


def joint_accelerations(links, angles, rates, torques):
    """By articulated bodies: velocities outwards, inertias inwards, accelerations outwards."""
    count, axis = len(angles), jnp.eye(6)[2]
    transforms, velocities, gains, inertias, forces = [], [], [], [], []
    v = jnp.zeros(6)
    for i in range(count):
        transforms.append(joint_transform(angles[i], links["fixed"][i], links["offset"][i]))
        own = axis * rates[i]
        v = transforms[i] @ v + own
        velocities.append(v)
        gains.append(motion_cross(v) @ own)
        inertias.append(links["inertia"][i])
        forces.append(-motion_cross(v).T @ (links["inertia"][i] @ v))
    rows = [None] * count
    for i in reversed(range(count)):
        column = inertias[i] @ axis
        d, u = axis @ column, torques[i] - axis @ forces[i]
        rows[i] = (column, d, u)
        if i:
            inertia = inertias[i] - jnp.outer(column, column) / d
            force = forces[i] + inertia @ gains[i] + column * (u / d)
            inertias[i - 1] += transforms[i].T @ inertia @ transforms[i]
            forces[i - 1] += transforms[i].T @ force
    a, found = jnp.array([0, 0, 0, 0, 0, 9.81]), []
    for i, (column, d, u) in enumerate(rows):
        a = transforms[i] @ a + gains[i]
        found.append((u - column @ a) / d)
        a = a + axis * found[-1]
    return jnp.stack(found)


@model("rigid bodies, 64 arms of 7 joints, 10 steps")
def rigid_bodies():
    weights, count = Weights(), 7
    turned = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], np.float32)
    inertia = []
    for _ in range(count):
        mass, centre = 1 + weights.random.random(), weights.normal(3, scale=0.05)
        c = np.array([[0, -centre[2], centre[1]], [centre[2], 0, -centre[0]], [-centre[1], centre[0], 0]])
        inertia.append(np.block([[0.05 * np.eye(3) + mass * c @ c.T, mass * c], [mass * c.T, mass * np.eye(3)]]))
    links = {"fixed": np.stack([turned if i % 2 else turned.T for i in range(count)]),
             "offset": np.tile(np.float32([0, 0, 0.3]), (count, 1)), "inertia": np.float32(inertia)}

    def simulate(links, angles, rates, torques):
        accelerations = jax.vmap(joint_accelerations, (None, 0, 0, 0))

        def step(state, torque):
            angles, rates = state
            rates = rates + 0.005 * accelerations(links, angles, rates, torque - 0.5 * rates)
            angles = angles + 0.005 * rates
            return (angles, rates), angles

        return lax.scan(step, (angles, rates), torques)

    return simulate, [links, weights.normal(64, count), weights.normal(64, count, scale=0.1),
                      weights.normal(10, 64, count)]


# --- fluids


@model("fluid by Fourier transforms, 256x256, 5 steps")
def spectral_fluid():
    """The vorticity of Navier and Stokes in two dimensions, products in space, viscosity implicitly."""
    n = 256
    weights = Weights()

    def simulate(vorticity):
        kx, ky = jnp.meshgrid(jnp.fft.fftfreq(n, 1 / n), jnp.fft.rfftfreq(n, 1 / n), indexing="ij")
        square = kx ** 2 + ky ** 2
        inverse = 1 / jnp.where(square == 0, 1, square)
        keeps = (jnp.abs(kx) < n / 3) & (jnp.abs(ky) < n / 3)

        def advection(w):
            stream = w * inverse
            u, v = jnp.fft.irfft2(1j * ky * stream), jnp.fft.irfft2(-1j * kx * stream)
            slopes = jnp.fft.irfft2(1j * kx * w), jnp.fft.irfft2(1j * ky * w)
            return -jnp.fft.rfft2(u * slopes[0] + v * slopes[1]) * keeps

        def step(_, w):
            dt, decay = 1e-3, 1e-3 * square
            first = advection(w)
            half = (w + dt * first) / (1 + dt * decay)
            return (w + 0.5 * dt * (first + advection(half) - decay * w)) / (1 + 0.5 * dt * decay)

        return jnp.fft.irfft2(lax.fori_loop(0, 5, step, jnp.fft.rfft2(vorticity)))

    return simulate, [weights.normal(n, n)]


DIRECTIONS = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
SHARES = np.float32([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)


@model("fluid by lattice Boltzmann, 400x100, 20 steps")
def lattice_fluid():
    """Past a cylinder, which reflects what reaches it."""
    x, y = np.meshgrid(np.arange(400), np.arange(100), indexing="ij")
    solid = (x - 80) ** 2 + (y - 50) ** 2 < 12 ** 2
    opposite = [0, 3, 4, 1, 2, 7, 8, 5, 6]

    def equilibrium(density, velocity):
        along = jnp.einsum("id,dxy->ixy", DIRECTIONS.astype(np.float32), velocity)
        square = (velocity ** 2).sum(0)
        return density * SHARES[:, None, None] * (1 + 3 * along + 4.5 * along ** 2 - 1.5 * square)

    def simulate(f, solid):
        inflow = f[:, 0]

        def step(_, f):
            density = f.sum(0)
            velocity = jnp.einsum("id,ixy->dxy", DIRECTIONS.astype(np.float32), f) / density
            moved = f + (equilibrium(density, velocity) - f) / 0.6
            moved = jnp.where(solid, f[np.array(opposite)], moved)
            moved = jnp.stack([jnp.roll(part, tuple(d), (0, 1)) for part, d in zip(moved, DIRECTIONS)])
            return moved.at[:, 0].set(inflow).at[:, -1].set(moved[:, -2])

        f = lax.fori_loop(0, 20, step, f)
        return f, jnp.einsum("id,ixy->dxy", DIRECTIONS.astype(np.float32), f) / f.sum(0)

    speed = np.stack([0.05 * (1 + 1e-3 * np.sin(y / 100 * 2 * np.pi)), np.zeros((400, 100))]).astype(np.float32)
    return simulate, [np.asarray(equilibrium(np.ones((400, 100), np.float32), speed)), solid]


# --- ordinary differential equations

FIFTH = [[1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9],
         [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
         [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
         [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]]
ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40]


def weighted(factors, slopes):
    return sum(factor * slope for factor, slope in zip(factors, slopes) if factor)


def adaptive(step, y, end, dt, order, tolerance):
    """`step` gives the next y and its error; steps that err too much are made again, smaller."""
    def turn(state):
        t, y, dt, count = state
        dt = jnp.minimum(dt, end - t)
        new, error = step(y, dt)
        size = jnp.sqrt(jnp.mean((error / (tolerance * (1e-2 + jnp.maximum(jnp.abs(y), jnp.abs(new))))) ** 2))
        keeps = size <= 1
        factor = jnp.clip(0.9 * jnp.maximum(size, 1e-10) ** (-1 / order), 0.2, 5.0)
        return jnp.where(keeps, t + dt, t), jnp.where(keeps, new, y), dt * factor, count + 1

    return lax.while_loop(lambda state: (state[0] < end) & (state[3] < 10000), turn,
                          (jnp.zeros_like(dt), y, dt, 0))[1]


@model("neural ODE, 32 spirals, Dormand-Prince", tolerance=1e-3, small_operations=True)
def neural_ode():
    weights = Weights()
    layers = [weights.dense(2, 50), weights.dense(50, 2)]

    def solve(layers, y):
        def slope(y):
            return jnp.tanh(y ** 3 @ layers[0]["w"] + layers[0]["b"]) @ layers[1]["w"] + layers[1]["b"]

        def step(y, dt):
            slopes = [slope(y)]
            for factors in FIFTH:
                new = y + dt * weighted(factors, slopes)
                slopes.append(slope(new))
            return new, dt * weighted(ERROR, slopes)

        return adaptive(step, y, 25.0, jnp.float32(0.01), 5, 1e-5)

    return solve, [layers, weights.normal(32, 2)]


@model("stiff ODE (Robertson's), Rosenbrock", small_operations=True, x64=True)
def stiff_ode():
    def slope(y):
        a, b, c = y[0], y[1], y[2]
        first, second = 0.04 * a - 1e4 * b * c, 3e7 * b * b
        return jnp.stack([-first, first - second, second])

    def step(y, dt):
        d = 1 / (2 + np.sqrt(2))
        matrix = jnp.eye(3) - dt * d * jax.jacfwd(slope)(y)
        first = slope(y)
        k1 = jnp.linalg.solve(matrix, first)
        middle = slope(y + 0.5 * dt * k1)
        k2 = jnp.linalg.solve(matrix, middle - k1) + k1
        new = y + dt * k2
        k3 = jnp.linalg.solve(matrix, slope(new) - (6 + np.sqrt(2)) * (k2 - middle) - 2 * (k1 - first))
        return new, dt / 6 * (k1 - 2 * k2 + k3)

    return lambda y: adaptive(step, y, 1e6, jnp.float64(1e-4), 3, 1e-8), [np.array([1.0, 0.0, 0.0])]
